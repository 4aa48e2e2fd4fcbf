#include "cost/beside_step.h"

#include <algorithm>
#include <initializer_list>

#include "bind/bind.h"

namespace mtfc::cost {
namespace {

/// Of programs that run one after the other, as parts of stages too.
struct Running {
  std::int64_t arena = 0;
  std::vector<std::vector<Travel>> travels;

  void add(const Module& module, const SourceMap& sources,
           std::initializer_list<const char*> names) {
    for (const Program& program : module.programs) {
      if (std::none_of(names.begin(), names.end(), [&](const char* name) {
            return program_names::is_part_of(program.name, name);
          }))
        continue;
      const std::vector<bind::Bound> bound = bind::bind_all({module.dims, module.mesh}, program);
      ProgramMemory memory = bytes_of(module, program, bound, sources);
      arena = std::max(arena, memory.arena);
      travels.push_back(std::move(memory.travels));
    }
  }
};

/// Messages between this stage and others in an evaluation: what crosses, beside its variable.
std::int64_t message_bytes_of_evaluation(const PipelineModule& module, int stage) {
  const Module& own = module.stages[static_cast<std::size_t>(stage)];
  const auto stage_of = [&](int number) {
    return module.cut.parts[static_cast<std::size_t>(number)].stage;
  };
  std::int64_t bytes = 0;
  for (const Crossing& crossing : module.cut.crossings) {
    const StagePart& from = module.cut.parts[static_cast<std::size_t>(crossing.from)];
    const bool travels = from.stage == stage
                             ? std::any_of(crossing.to.begin(), crossing.to.end(),
                                           [&](int to) { return stage_of(to) != stage; })
                             : std::any_of(crossing.to.begin(), crossing.to.end(),
                                           [&](int to) { return stage_of(to) == stage; });
    const ModuleVariable* variable = own.find_variable(crossing.variable);
    if (from.program == program_names::eval && travels && variable != nullptr)
      bytes += shard_bytes(own.dims, own.mesh, variable->type);
  }
  return bytes;
}

}  // namespace

void count_beside_step(const Module& module, const SourceMap& sources, bool evaluates, Cost& cost) {
  if (module.step.empty()) return;
  Running init;
  init.add(module, sources, {program_names::init});
  cost.first_values_bytes = cost.variable_bytes + init.arena + message_bytes(init.travels);
  // What steps have used stays: programs share one arena, and what travels takes buffers in turn.
  Running evaluation{cost.arena_bytes, cost.travels};
  evaluation.add(module, sources,
                 {program_names::eval_begin, program_names::eval, program_names::eval_finish});
  if (!evaluates || evaluation.travels.size() == cost.travels.size()) return;
  // All variables: what stages send each other in evaluations, too.
  cost.evaluation_bytes =
      variable_bytes(module) + evaluation.arena + message_bytes(evaluation.travels);
}

void count_beside_step(const PipelineModule& module, const SourceMap& sources, bool evaluates,
                       PipelineCost& cost) {
  for (std::size_t i = 0; i < module.stages.size(); ++i) {
    Cost& of_stage = cost.stages[i].cost;
    count_beside_step(module.stages[i], sources, evaluates, of_stage);
    if (of_stage.evaluation_bytes > 0)
      of_stage.evaluation_bytes += message_bytes_of_evaluation(module, static_cast<int>(i));
  }
}

}  // namespace mtfc::cost
