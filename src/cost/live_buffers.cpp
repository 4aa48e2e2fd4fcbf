#include "cost/live_buffers.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "ir/glob.h"
#include "support/aligned_bytes.h"

namespace mtfc::cost {

std::int64_t allocated_bytes(const Module& module, const ShardType& type) {
  return aligned(shard_bytes(module.dims, module.mesh, type));
}

/// As a rank plans it (backends/execute/rank_transport.cpp): buffers of an asynchronous collective
/// are not in the arena.
bind::Plan plan_of_rank(const Module& module, const Program& program,
                        const std::vector<bind::Bound>& bound) {
  return bind::make_plan(module, program,
                         {[&](ValueId id) { return allocated_bytes(module, program.at(id).type); },
                          [&](std::size_t i) { return scratch_of(bound[i]); },
                          [&](std::size_t i) { return is_alias(bound[i]); }, true});
}

LiveBuffers::LiveBuffers(const Module& module, const Program& program,
                         const std::vector<bind::Bound>& bound, const SourceMap& sources)
    : module_(module),
      program_(program),
      bound_(bound),
      sources_(sources),
      instructions_(std::max<std::size_t>(bound.size(), 1)) {
  add_arena();
  add_messages();
  find_names();
}

void LiveBuffers::add_arena() {
  const bind::Plan plan = plan_of_rank(module_, program_, bound_);
  arena_bytes_ = plan.arena_bytes;
  const std::vector<MemoryRole> roles = roles_of_values(module_, program_, bound_);
  for (const bind::Occupied& each : plan.occupied) {
    const bool message = std::holds_alternative<bind::Exchanges>(bound_[each.begin]);
    const MemoryRole role = each.value.valid() ? roles[each.value.at()]
                            : message          ? MemoryRole::messages
                                               : MemoryRole::update;
    all_.push_back({role, each.value, aligned(each.bytes), each.begin, each.end, false});
  }
}

/// From where each asynchronous collective is started to where it is waited for.
void LiveBuffers::add_messages() {
  std::map<ValueId, std::size_t> started;  // by the first result
  for (std::size_t i = 0; i < bound_.size(); ++i) {
    const Instruction& at = program_.instructions[i];
    if (std::holds_alternative<Wait>(at.kind)) all_[started.at(at.operands[0])].end = i;
    const auto* bucket = std::get_if<bind::Exchanges>(&bound_[i]);
    if (!bucket || !bucket->at(0).async) continue;
    started[at.results[0]] = all_.size();
    all_.push_back(
        {MemoryRole::messages, {}, runtime::bucket_scratch(*bucket), i, bound_.size(), true});
  }
}

/// A value without a name has that of the first alias that has one.
void LiveBuffers::find_names() {
  for (const ProgramValue& value : program_.values) names_.push_back(value.name);
  for (std::size_t i = bound_.size(); i-- > 0;) {
    if (!is_alias(bound_[i])) continue;
    const Instruction& at = program_.instructions[i];
    for (std::size_t j = 0; j < at.results.size(); ++j)
      if (names_[at.operands[j].at()].empty())
        names_[at.operands[j].at()] = names_[at.results[j].at()];
  }
}

Alive LiveBuffers::describe(const LiveBuffer& buffer) const {
  const Instruction& at = program_.instructions[buffer.begin];
  const std::string known = buffer.value.valid() ? names_[buffer.value.at()].str() : "";
  const std::string block = at.role.block.empty() ? "" : at.role.block.str() + " ";
  return {buffer.role,
          general_path(known.empty() ? block + std::string(name(at.kind)) : known),
          source_text(sources_, at.origin.span),
          std::string(name(at.origin.phase)),
          1,
          buffer.bytes};
}

std::int64_t variable_bytes(const Module& module) {
  std::int64_t bytes = 0;
  for (const ModuleVariable& variable : module.variables)
    bytes += allocated_bytes(module, variable.type);
  return bytes;
}

std::vector<Alive> alive_variables(const Module& module, const SourceMap& sources) {
  const std::vector<MemoryRole> roles = roles_of_variables(module);
  std::map<std::string, Span> spans;  // where it is first read or written
  for (const Program& program : module.programs)
    for (const Instruction& at : program.instructions) {
      const std::string* variable = variable_of(at.kind);
      if (variable && at.origin.span.valid()) spans.try_emplace(*variable, at.origin.span);
    }
  std::vector<Alive> rows;
  for (std::size_t i = 0; i < module.variables.size(); ++i) {
    const ModuleVariable& variable = module.variables[i];
    rows.push_back({roles[i], general_path(variable.path),
                    source_text(sources, spans[variable.path]), "", 1,
                    allocated_bytes(module, variable.type)});
  }
  return rows;
}

std::vector<Alive> summed_up(const std::vector<Alive>& rows) {
  std::map<std::tuple<MemoryRole, std::string, std::string, std::string>, Alive> groups;
  for (const Alive& row : rows) {
    const auto [at, fresh] = groups.try_emplace({row.role, row.name, row.source, row.phase}, row);
    if (fresh) continue;
    at->second.count += row.count;
    at->second.bytes += row.bytes;
  }
  std::vector<Alive> all;
  for (auto& [key, alive] : groups) all.push_back(std::move(alive));
  std::stable_sort(all.begin(), all.end(),
                   [](const Alive& a, const Alive& b) { return a.bytes > b.bytes; });
  return all;
}

}  // namespace mtfc::cost
