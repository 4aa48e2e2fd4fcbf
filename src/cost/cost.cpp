#include "cost/cost.h"

#include <algorithm>

#include "bind/bind.h"

namespace mtfc::backends {
namespace {

std::string tensor_name(const Program& program, const Instruction& at) {
  std::string text;
  for (std::size_t i = 0; i < at.results.size(); ++i) {
    const std::string& made = program.at(at.results[i]).name;
    const std::string& name = made.empty() ? program.at(at.operands[i]).name : made;
    text += (text.empty() || name.empty() ? "" : ", ") + name;
  }
  return text;
}

/// What does the work that a collective serves: of a sum the instruction that made its operand, of
/// other moves the first that takes the result; behind those that only move. "" if there is none.
class Served {
 public:
  Served(const Program& program, const std::vector<Bound>& bound)
      : program_(program), bound_(bound) {}

  std::string operation(std::size_t i) const {
    const Instruction& at = program_.instructions[i];
    std::string names;  // of a bucket, each once
    for (std::size_t j = 0; j < at.results.size(); ++j) {
      const std::string one = summing(at.kind) ? maker(i, at.operands[j]) : user(i, at.results[j]);
      if ((", " + names + ", ").find(", " + one + ", ") == names.npos)
        names += (names.empty() ? "" : ", ") + one;
    }
    return names;
  }

 private:
  bool only_moves(std::size_t i) const {
    return is_alias(bound_[i]) || is_collective(program_.instructions[i].kind);
  }
  std::string maker(std::size_t before, ValueId value) const {
    for (std::size_t i = before; i-- > 0;) {
      const Instruction& at = program_.instructions[i];
      const auto made = std::find(at.results.begin(), at.results.end(), value);
      if (made == at.results.end()) continue;
      // Where the sum became a partial one: what takes partial sums passes them on.
      const auto part = std::find_if(at.operands.begin(), at.operands.end(), [&](ValueId operand) {
        return program_.at(operand).type.sharding.is_partial();
      });
      const bool passes = only_moves(i) || part != at.operands.end();
      if (!passes || at.operands.empty()) return std::string(name(at.kind));
      value =
          only_moves(i) ? at.operands[static_cast<std::size_t>(made - at.results.begin())] : *part;
    }
    return "";
  }
  std::string user(std::size_t after, ValueId value) const {
    for (std::size_t i = after + 1; i < bound_.size(); ++i) {
      const Instruction& at = program_.instructions[i];
      const auto used = std::find(at.operands.begin(), at.operands.end(), value);
      if (used == at.operands.end()) continue;
      const auto number = static_cast<std::size_t>(used - at.operands.begin());
      if (!only_moves(i) || number >= at.results.size()) return std::string(name(at.kind));
      value = at.results[number];
    }
    return "";
  }

  const Program& program_;
  const std::vector<Bound>& bound_;
};

CollectiveCost collective_cost(const Module& module, const Program& program, const Instruction& at,
                               const Work& work, const Exchanges& bound, const SourceMap& sources) {
  const auto bytes = static_cast<std::int64_t>(work.bytes);
  CollectiveCost cost;
  cost.kind = name(at.kind);
  cost.axes = to_string(module.mesh, work.axes);
  cost.elements_per_processor = bytes / static_cast<std::int64_t>(size_of(bound.front().dtype));
  cost.bytes_per_processor = bytes;
  cost.sent_per_processor = runtime::sent_bytes(bound);
  cost.tensor = tensor_name(program, at);
  cost.source = source_text(sources, at.origin.span);
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
  cost.message_bytes = memory.messages;
  cost.peak = std::move(memory.peak);
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

std::int64_t Cost::sent_per_processor() const {
  std::int64_t sum = 0;
  for (const CollectiveCost& one : collectives) sum += one.sent_per_processor;
  return sum;
}

double Cost::repeated_flops() const {
  double sum = 0;
  for (const RepeatedWork& work : repeated)
    sum += work.flops_per_processor * (1 - 1 / static_cast<double>(work.times));
  return sum;
}

Cost cost_of(const Module& module, const Program& program, const SourceMap& sources) {
  Cost cost;
  cost.processors = module.mesh.processors();
  for (const ModuleVariable& variable : module.variables)
    if (variable.kind == Variable::Kind::parameter)
      cost.parameters += elements(module.dims, variable.type.tensor.dims);
  std::vector<Bound> bound;
  for (const Instruction& at : program.instructions)
    bound.push_back(bind({module.dims, module.mesh}, program, at));
  set_memory(cost, memory_of(module, program, bound, sources));
  const Served served(program, bound);
  cost.work.push_back({program.name, 1, work_of(module, program, bound)});
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
        collective_cost(module, program, at, work, std::get<Exchanges>(bound[i]), sources));
    CollectiveCost& one = cost.collectives.back();
    one.operation = served.operation(i);
    add_line(cost.lines, {one.source, 0, one.sent_per_processor, 1});
  }
  sort_repeated(cost.repeated);
  return cost;
}

Cost cost_of_step(const Module& module, const SourceMap& sources) {
  Cost total;
  for (const StepProgram& step : module.step) {
    Cost once = cost_of(module, *module.find(step.program), sources);
    total.processors = once.processors;
    total.parameters = once.parameters;
    total.variable_bytes = once.variable_bytes;
    total.arena_bytes = std::max(total.arena_bytes, once.arena_bytes);
    total.message_bytes = std::max(total.message_bytes, once.message_bytes);
    if (once.peak.in_use() > total.peak.in_use()) total.peak = once.peak;
    total.flops_per_processor += once.flops_per_processor * static_cast<double>(step.microbatches);
    for (RepeatedWork work : once.repeated) {
      work.flops_per_processor *= static_cast<double>(step.microbatches);
      add_repeated(total.repeated, work);
    }
    for (const LineCost& line : once.lines)
      add_line(total.lines, {line.source, line.flops * static_cast<double>(step.microbatches),
                             line.sent * step.microbatches, line.collectives * step.microbatches});
    for (std::int64_t part = 0; part < step.microbatches; ++part)
      total.collectives.insert(total.collectives.end(), once.collectives.begin(),
                               once.collectives.end());
    once.work.front().times = step.microbatches;
    total.work.push_back(std::move(once.work.front()));
  }
  total.peak.unused = total.memory_per_processor() - total.peak.in_use();
  sort_repeated(total.repeated);
  return total;
}

}  // namespace mtfc::backends
