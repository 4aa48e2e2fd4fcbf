#include "backends/execute/not_finite_watch.h"

#include <algorithm>

#include "backends/execute/executor.h"
#include "train/checkpoint/checkpoint.h"

namespace mtfc::backends {
namespace {

/// Of what this process has of it.
NotFinite worst_of(const Module& module, const ShardType& type, const Buffer& buffer) {
  const std::int64_t count = shard_elements(module.dims, module.mesh, type);
  NotFinite worst = NotFinite::none;
  for (std::int64_t i = 0; i < buffer.shards->count(); ++i)
    worst = std::max(worst, mtfc::worst_of(type.tensor.dtype, buffer.shard(i), count));
  return worst;
}

/// From step to step.
bool is_kept(const Module& module, const std::string& path) {
  for (const runtime::VariableInfo& variable : variables_of(module))
    if (variable.path == path) return runtime::is_saved(variable);
  return false;
}

bool is_edge(const Instruction& at) {
  return std::visit([]<class Kind>(const Kind&) { return IsEdge<Kind>; }, at.kind);
}

}  // namespace

void NotFiniteWatch::run(const Module& module, Executable& executable, runtime::Pool& pool,
                         const runtime::Feeds& feeds, std::vector<runtime::Fetched>& fetched) {
  const Program& program = executable.program();
  values_.assign(program.values.size(), {});
  executable.begin();
  for (std::size_t i = 0; i < program.instructions.size(); ++i, ++done_) {
    const std::size_t before = fetched.size();
    executable.step(pool, i, feeds, fetched);
    const Instruction& at = program.instructions[i];
    if (fetched.size() > before && fetched.back().kind == name(Output::Kind::loss))
      note(values_[at.operands[0].at()], false);
    look(module, executable, at);
  }
  executable.finish(pool);
}

void NotFiniteWatch::look(const Module& module, const Executable& executable,
                          const Instruction& at) {
  const std::string* variable = variable_of(at.kind);
  if (variable && at.results.empty()) write(module, *variable, values_[at.operands[0].at()]);
  for (std::size_t i = 0; i < at.results.size(); ++i) {
    const ValueId id = at.results[i];
    Value& value = values_[id.at()];
    // What is only started has no result yet: it stands for its operand.
    if (is_async(at.kind))
      value = values_[at.operands[i].at()];
    else
      value =
          result_of(at, worst_of(module, executable.program().at(id).type, executable.buffer(id)));
    value.travels = is_async(at.kind);
  }
}

void NotFiniteWatch::write(const Module& module, const std::string& path, const Value& value) {
  variables_[path] = value;
  if (value.begin) note(value, !is_kept(module, path));
}

const NotFiniteWatch::Value& NotFiniteWatch::worst_operand(const Instruction& at) const {
  static const Value good;
  const Value* worst = &good;
  // Of equally bad ones one that became so here: what an accumulator has from before is not taken.
  const auto key = [](const Value& value) { return std::pair(value.kind, value.begin != nullptr); };
  for (const ValueId id : at.operands)
    if (const Value& value = values_[id.at()]; key(value) > key(*worst)) worst = &value;
  return *worst;
}

NotFiniteWatch::Value NotFiniteWatch::result_of(const Instruction& at, NotFinite kind) const {
  if (kind == NotFinite::none) return {};
  if (const std::string* variable = variable_of(at.kind)) {
    const auto written = variables_.find(*variable);
    return {kind, written == variables_.end() ? nullptr : written->second.begin};
  }
  if (is_edge(at)) return {kind, nullptr};  // it is fed
  const Value& operand = worst_operand(at);
  if (operand.kind >= kind) return {kind, operand.begin};
  NotFiniteBegin begin;
  begin.origin = at.origin;
  begin.role = at.role;
  begin.kind = kind;
  if (operand.begin) begin.infinite_since = operand.begin->origin;
  begin.received =
      operand.kind == NotFinite::none && (is_collective(at.kind) || completes_collective(at));
  begin.order = done_;
  return {kind, std::make_shared<const NotFiniteBegin>(std::move(begin))};
}

bool NotFiniteWatch::completes_collective(const Instruction& at) const {
  return !at.operands.empty() && values_[at.operands[0].at()].travels;
}

/// Infinities may be meant, as of a mask.
void NotFiniteWatch::note(const Value& value, bool passed_on) {
  if (!value.begin) return;
  const auto key = [](NotFinite kind, bool passed) { return std::pair(!passed, kind); };
  if (begin_ && key(value.kind, passed_on) <= key(begin_->kind, begin_->passed_on)) return;
  begin_ = *value.begin;
  begin_->passed_on = passed_on;
}

}  // namespace mtfc::backends
