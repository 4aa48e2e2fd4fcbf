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

/// The scalar operation of an instruction that computes one alone; conversions do not count.
std::optional<ScalarOp> operation_of(const Instruction& at) {
  const ScalarProgram* body = std::visit(
      []<class Kind>(const Kind& kind) -> const ScalarProgram* {
        if constexpr (requires { kind.body.code; })
          return &kind.body;
        else
          return nullptr;
      },
      at.kind);
  std::optional<ScalarOp> found;
  if (!body) return found;
  for (const ScalarInstruction& step : body->code) {
    if (step.kind != LeafKind::none || step.op == ScalarOp::cast) continue;
    if (found) return std::nullopt;
    found = step.op;
  }
  return found;
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
      note(values_[at.operands[0].at()], NotFiniteBegin::Seen::loss);
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
      value = result_of(module, at,
                        worst_of(module, executable.program().at(id).type, executable.buffer(id)));
    value.travels = is_async(at.kind);
  }
}

void NotFiniteWatch::write(const Module& module, const std::string& path, const Value& value) {
  variables_[{&module, path}] = variables_[{nullptr, path}] = value;
  if (!value.begin) return;
  const bool counts = value.kind == NotFinite::not_a_number || is_kept(module, path);
  note(value, counts ? NotFiniteBegin::Seen::variable : NotFiniteBegin::Seen::maybe_meant);
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

std::shared_ptr<const NotFiniteBegin> NotFiniteWatch::begin_of(const Module& module,
                                                               const std::string& variable) const {
  for (const Module* of : {&module, static_cast<const Module*>(nullptr)})
    if (const auto written = variables_.find({of, variable}); written != variables_.end())
      return written->second.begin;
  return nullptr;
}

NotFiniteWatch::Value NotFiniteWatch::result_of(const Module& module, const Instruction& at,
                                                NotFinite kind) const {
  if (kind == NotFinite::none) return {};
  if (const std::string* variable = variable_of(at.kind))
    return {kind, begin_of(module, *variable)};
  if (is_edge(at)) return {kind, nullptr};  // it is fed
  const Value& operand = worst_operand(at);
  if (operand.kind >= kind) return {kind, operand.begin};
  NotFiniteBegin begin;
  begin.origin = at.origin;
  begin.role = at.role;
  begin.kind = kind;
  begin.from_finite = operand.kind == NotFinite::none;
  begin.operation = operation_of(at);
  if (operand.begin) {
    begin.infinite_since = operand.begin->origin;
    begin.operation_since = operand.begin->operation;
  }
  begin.received =
      operand.kind == NotFinite::none && (is_collective(at.kind) || completes_collective(at));
  begin.order = done_;
  return {kind, std::make_shared<const NotFiniteBegin>(std::move(begin))};
}

bool NotFiniteWatch::completes_collective(const Instruction& at) const {
  return !at.operands.empty() && values_[at.operands[0].at()].travels;
}

void NotFiniteWatch::note(const Value& value, NotFiniteBegin::Seen seen) {
  if (!value.begin) return;
  if (begin_ && std::pair(seen, value.begin->order) >= std::pair(begin_->seen, begin_->order))
    return;
  begin_ = *value.begin;
  begin_->seen = seen;
}

}  // namespace mtfc::backends
