#include "cost/cost.h"

#include <algorithm>

#include "bind/bind.h"
#include "cost/served.h"

namespace mtfc::cost {

MTFC_DEFINE_SPECIAL_MEMBERS(Cost, noexcept);

namespace {

std::string tensor_name(const Program& program, const Instruction& at) {
  std::string text;
  for (std::size_t i = 0; i < at.results.size(); ++i) {
    const std::string& made = program.at(at.results[i]).name;
    const std::string& name = made.empty() ? program.at(at.operands[i]).name.str() : made;
    text += (text.empty() || name.empty() ? "" : ", ") + name;
  }
  return text;
}

CollectiveCost collective_cost(const Module& module, const Program& program, const Instruction& at,
                               const Work& work, const bind::Exchanges& bound,
                               const SourceMap& sources) {
  const auto bytes = static_cast<std::int64_t>(work.bytes);
  CollectiveCost cost;
  cost.kind = name(at.kind);
  cost.axes = to_string(module.mesh, work.axes);
  cost.elements_per_processor = bytes / static_cast<std::int64_t>(size_of(bound.front().dtype));
  cost.bytes_per_processor = bytes;
  cost.sent_per_processor = runtime::sent_bytes(bound);
  cost.tensor = tensor_name(program, at);
  cost.source = source_text(sources, at.origin.span);
  cost.call = source_text(sources, at.origin.call);
  cost.cause = at.origin.cause;
  cost.phase = name(work.phase);
  return cost;
}

void add_line(std::vector<LineCost>& lines, const LineCost& one) {
  auto found = std::find_if(lines.begin(), lines.end(),
                            [&](const LineCost& line) { return line.source == one.source; });
  if (found == lines.end()) found = lines.insert(lines.end(), LineCost{one.source});
  found->flops += one.flops;
  found->sent += one.sent;
  found->collectives += one.collectives;
}

void set_memory(Cost& cost, ProgramMemory memory) {
  cost.variable_bytes = memory.variables;
  cost.arena_bytes = memory.arena;
  cost.travels = {std::move(memory.travels)};
  cost.message_bytes = message_bytes(cost.travels);
  cost.peak = std::move(memory.peak);
  cost.peak.unused = cost.memory_per_processor() - cost.peak.in_use();
}

void add_repeated(std::vector<RepeatedWork>& list, const RepeatedWork& work) {
  const auto same = [&](const RepeatedWork& other) {
    return other.axes == work.axes && other.source == work.source && other.phase == work.phase;
  };
  const auto found = std::find_if(list.begin(), list.end(), same);
  if (found == list.end())
    list.push_back(work);
  else
    found->flops_per_processor += work.flops_per_processor;
}

void sort_repeated(std::vector<RepeatedWork>& list) {
  std::stable_sort(list.begin(), list.end(), [](const RepeatedWork& a, const RepeatedWork& b) {
    return a.flops_per_processor > b.flops_per_processor;
  });
}

}  // namespace

std::int64_t Cost::moved_per_processor() const {
  std::int64_t sum = 0;
  for (const CollectiveCost& one : collectives) sum += one.bytes_per_processor;
  return sum;
}

std::int64_t Cost::sent_per_processor() const {
  std::int64_t sum = 0;
  for (const CollectiveCost& one : collectives) sum += one.sent_per_processor;
  return sum;
}

MostMemory Cost::most_memory(std::int64_t step) const {
  MostMemory most{step};
  if (first_values_bytes > most.bytes) most = {first_values_bytes, for_first_values};
  if (evaluation_bytes > most.bytes) most = {evaluation_bytes, in_an_evaluation};
  return most;
}

double Cost::repeated_flops() const {
  double sum = 0;
  for (const RepeatedWork& work : repeated)
    sum += work.flops_per_processor * (1 - 1 / static_cast<double>(work.times));
  return sum;
}

Cost cost_of(const Module& module, const Program& program, const SourceMap& sources,
             const Detail& detail) {
  Cost cost;
  cost.processors = module.mesh.processors();
  for (const ModuleVariable& variable : module.variables)
    if (variable.kind == Variable::Kind::parameter)
      cost.parameters += elements(module.dims, variable.type.tensor.dims);
  const std::vector<bind::Bound> bound = bind::bind_all({module.dims, module.mesh}, program);
  set_memory(cost, memory_of(module, program, bound, sources));
  const Served served(program, bound);
  cost.work.push_back({program.name, 1, work_of(module, program, bound, detail)});
  for (std::size_t i = 0; i < bound.size(); ++i) {
    const Instruction& at = program.instructions[i];
    const Work& work = cost.work.back().instructions[i];
    cost.flops_per_processor += work.flops;
    if (work.times > 1)
      add_repeated(
          cost.repeated,
          {work.flops, work.times, to_string(module.mesh, repeated_along(module.mesh, program, at)),
           source_text(sources, at.origin.span), std::string(name(work.phase))});
    if (work.flops > 0)
      add_line(cost.lines, {source_text(sources, at.origin.span), work.flops, 0, 0});
    if (work.kind != Work::Kind::collective) continue;
    cost.collectives.push_back(
        collective_cost(module, program, at, work, std::get<bind::Exchanges>(bound[i]), sources));
    CollectiveCost& one = cost.collectives.back();
    one.operation = served.operations(i);
    add_line(cost.lines, {one.source, 0, one.sent_per_processor, 1});
  }
  sort_repeated(cost.repeated);
  return cost;
}

Cost cost_of_step(const Module& module, const SourceMap& sources, const Detail& detail) {
  Cost total;
  for (const auto& [program, times] : counted_programs(module)) {
    Cost once = cost_of(module, *program, sources, detail);
    total.processors = once.processors;
    total.parameters = once.parameters;
    total.variable_bytes = once.variable_bytes;
    total.arena_bytes = std::max(total.arena_bytes, once.arena_bytes);
    total.travels.push_back(std::move(once.travels.front()));
    if (once.peak.in_use() > total.peak.in_use()) total.peak = once.peak;
    total.flops_per_processor += once.flops_per_processor * static_cast<double>(times);
    for (RepeatedWork work : once.repeated) {
      work.flops_per_processor *= static_cast<double>(times);
      add_repeated(total.repeated, work);
    }
    for (const LineCost& line : once.lines)
      add_line(total.lines, {line.source, line.flops * static_cast<double>(times),
                             line.sent * times, line.collectives * times});
    for (std::int64_t part = 0; part < times; ++part)
      total.collectives.insert(total.collectives.end(), once.collectives.begin(),
                               once.collectives.end());
    once.work.front().times = times;
    total.work.push_back(std::move(once.work.front()));
  }
  total.message_bytes = message_bytes(total.travels);
  total.peak.unused = total.memory_per_processor() - total.peak.in_use();
  sort_repeated(total.repeated);
  return total;
}

Cost figures_of_step(const Module& module, const SourceMap& sources, const Detail& detail) {
  Cost total;
  total.processors = module.mesh.processors();
  total.variable_bytes = variable_bytes(module);
  for (const StepProgram& step : module.step) {
    const Program& program = *module.find(step.program);
    const std::vector<bind::Bound> bound = bind::bind_all({module.dims, module.mesh}, program);
    total.work.push_back(
        {step.program, step.microbatches, work_of(module, program, bound, detail)});
    ProgramMemory memory = bytes_of(module, program, bound, sources);
    total.arena_bytes = std::max(total.arena_bytes, memory.arena);
    total.arenas.push_back(memory.arena);
    for (std::size_t i = 0; i < total.in_use.size(); ++i)
      total.in_use[i] = std::max(total.in_use[i], memory.in_use[i]);
    total.travels.push_back(std::move(memory.travels));
  }
  total.message_bytes = message_bytes(total.travels);
  return total;
}

}  // namespace mtfc::cost
