#include "cost/peak.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "bind/memory_plan.h"
#include "cost/general_name.h"
#include "support/aligned_bytes.h"

namespace mtfc::backends {
namespace {

std::int64_t bytes_of(const Module& module, const ShardType& type) {
  return aligned(shard_elements(module.dims, module.mesh, type) *
                 static_cast<std::int64_t>(size_of(type.tensor.dtype)));
}

class MemoryTable {
 public:
  MemoryTable(const Module& module, const Program& program, const std::vector<Bound>& bound,
              const SourceMap& sources)
      : module_(module), program_(program), bound_(bound), sources_(sources) {}

  ProgramMemory run() {
    for (const ModuleVariable& variable : module_.variables)
      memory_.variables += bytes_of(module_, variable.type);
    const Plan plan = planned();
    memory_.arena = plan.arena_bytes;
    buffers_ = plan.occupied;
    for (Occupied& buffer : buffers_) buffer.bytes = aligned(buffer.bytes);
    const std::vector<std::int64_t> arena = in_use(buffers_);
    const std::vector<Occupied> travelling = async_buffers();
    const std::vector<std::int64_t> messages = in_use(travelling);
    buffers_.insert(buffers_.end(), travelling.begin(), travelling.end());
    std::vector<std::int64_t> all;
    for (std::size_t i = 0; i < arena.size(); ++i) {
      memory_.messages = std::max(memory_.messages, messages[i]);
      all.push_back(arena[i] + messages[i]);
    }
    list(static_cast<std::size_t>(std::max_element(all.begin(), all.end()) - all.begin()));
    return std::move(memory_);
  }

 private:
  /// As a rank plans it (backends/execute/rank_transport.cpp): buffers of an asynchronous
  /// collective are not in the arena.
  Plan planned() const {
    const auto scratch = [&](std::size_t i) {
      const auto* bucket = std::get_if<Exchanges>(&bound_[i]);
      return bucket && !bucket->at(0).async ? runtime::bucket_scratch(*bucket) : 0;
    };
    return make_plan(module_, program_,
                     {[&](ValueId id) { return bytes_of(module_, program_.at(id).type); }, scratch,
                      [&](std::size_t i) { return is_alias(bound_[i]); }, true});
  }

  /// From where each asynchronous collective is started to where it is waited for.
  std::vector<Occupied> async_buffers() const {
    std::vector<Occupied> buffers;
    std::map<ValueId, std::size_t> started;  // by the first result
    for (std::size_t i = 0; i < bound_.size(); ++i) {
      const Instruction& at = program_.instructions[i];
      if (std::holds_alternative<Wait>(at.kind)) buffers[started.at(at.operands[0])].end = i;
      const auto* bucket = std::get_if<Exchanges>(&bound_[i]);
      if (!bucket || !bucket->at(0).async) continue;
      started[at.results[0]] = buffers.size();
      buffers.push_back({{}, runtime::bucket_scratch(*bucket), i, bound_.size()});
    }
    return buffers;
  }

  /// Bytes by instruction; of a program without instructions as if it had one.
  std::vector<std::int64_t> in_use(const std::vector<Occupied>& buffers) const {
    std::vector<std::int64_t> bytes(std::max<std::size_t>(bound_.size(), 1) + 1, 0);
    const std::size_t end = bytes.size() - 1;
    for (const Occupied& buffer : buffers) {
      bytes[buffer.begin] += buffer.bytes;
      bytes[std::min(buffer.end + 1, end)] -= buffer.bytes;
    }
    for (std::size_t i = 1; i < bytes.size(); ++i) bytes[i] += bytes[i - 1];
    bytes.pop_back();
    return bytes;
  }

  /// What is alive at this instruction.
  void list(std::size_t when) {
    MemoryPeak& peak = memory_.peak;
    peak.program = program_.name;
    if (when < bound_.size()) {
      const Instruction& at = program_.instructions[when];
      peak.instruction = name(at.kind);
      peak.source = source_text(sources_, at.origin.span);
      peak.phase = name(at.origin.phase);
    }
    list_variables();
    list_buffers(when);
    for (auto& [key, alive] : groups_) peak.alive.push_back(std::move(alive));
    std::stable_sort(peak.alive.begin(), peak.alive.end(),
                     [](const Alive& a, const Alive& b) { return a.bytes > b.bytes; });
    peak.unused = memory_.total() - peak.in_use();
  }

  void list_variables() {
    const std::vector<MemoryRole> roles = roles_of_variables(module_);
    std::map<std::string, Span> spans;  // where it is first read or written
    for (const Program& program : module_.programs)
      for (const Instruction& at : program.instructions) {
        const std::string* variable = variable_of(at.kind);
        if (variable && at.origin.span.valid()) spans.try_emplace(*variable, at.origin.span);
      }
    for (std::size_t i = 0; i < module_.variables.size(); ++i) {
      const ModuleVariable& variable = module_.variables[i];
      add(roles[i], variable.path, source_text(sources_, spans[variable.path]), "",
          bytes_of(module_, variable.type));
    }
  }

  void list_buffers(std::size_t when) {
    const std::vector<MemoryRole> roles = roles_of_values(module_, program_, bound_);
    const std::vector<std::string> names = names_of_values();
    for (const Occupied& buffer : buffers_) {
      if (buffer.begin > when || buffer.end < when) continue;
      const Instruction& at = program_.instructions[buffer.begin];
      const bool message = std::holds_alternative<Exchanges>(bound_[buffer.begin]);
      const MemoryRole role = buffer.value.valid() ? roles[buffer.value.at()]
                              : message            ? MemoryRole::messages
                                                   : MemoryRole::update;
      const std::string known = buffer.value.valid() ? names[buffer.value.at()] : "";
      const std::string block = at.role.block.empty() ? "" : at.role.block.str() + " ";
      add(role, known.empty() ? block + std::string(name(at.kind)) : known,
          source_text(sources_, at.origin.span), std::string(name(at.origin.phase)), buffer.bytes);
    }
  }

  /// A value without a name has that of the first alias that has one.
  std::vector<std::string> names_of_values() const {
    std::vector<std::string> names;
    for (const ProgramValue& value : program_.values) names.push_back(value.name);
    for (std::size_t i = bound_.size(); i-- > 0;) {
      if (!is_alias(bound_[i])) continue;
      const Instruction& at = program_.instructions[i];
      for (std::size_t j = 0; j < at.results.size(); ++j)
        if (names[at.operands[j].at()].empty())
          names[at.operands[j].at()] = names[at.results[j].at()];
    }
    return names;
  }

  void add(MemoryRole role, const std::string& name, const std::string& source,
           const std::string& phase, std::int64_t bytes) {
    const std::string general = general_name(name);
    Alive& one = groups_[{role, general, source, phase}];
    one.role = role;
    one.name = general;
    one.source = source;
    one.phase = phase;
    ++one.count;
    one.bytes += bytes;
  }

  const Module& module_;
  const Program& program_;
  const std::vector<Bound>& bound_;
  const SourceMap& sources_;
  std::vector<Occupied> buffers_;
  std::map<std::tuple<MemoryRole, std::string, std::string, std::string>, Alive> groups_;
  ProgramMemory memory_;
};

}  // namespace

std::int64_t MemoryPeak::in_use() const {
  std::int64_t bytes = 0;
  for (const Alive& one : alive) bytes += one.bytes;
  return bytes;
}

std::int64_t MemoryPeak::in_use(MemoryRole role) const {
  std::int64_t bytes = 0;
  for (const Alive& one : alive) bytes += one.role == role ? one.bytes : 0;
  return bytes;
}

ProgramMemory memory_of(const Module& module, const Program& program,
                        const std::vector<Bound>& bound, const SourceMap& sources) {
  return MemoryTable(module, program, bound, sources).run();
}

}  // namespace mtfc::backends
