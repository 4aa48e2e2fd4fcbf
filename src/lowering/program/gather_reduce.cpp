#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "lowering/program/program_passes.h"

namespace mtfc::lowering {

namespace {

/// Reduce and Contract, which sum.
const DimList* reduced_of(const InstructionKind& kind) {
  if (const auto* reduce = std::get_if<Reduce>(&kind)) return &reduce->reduced;
  if (const auto* contract = std::get_if<Contract>(&kind)) return &contract->reduced;
  return nullptr;
}
Combine combine_of(const InstructionKind& kind) {
  const auto* reduce = std::get_if<Reduce>(&kind);
  return reduce ? reduce->kind : Combine::sum;
}

/// The gathered dimension on its way to the reduction: instruction number `at` works on it as
/// `dim`.
struct Link {
  std::size_t at = 0;
  DimId dim;
};

class Rewriting {
 public:
  Rewriting(Program& program, const DimTable& dims, const Mesh& mesh)
      : p_(program), dims_(dims), mesh_(mesh) {}

  void run() {
    index_values();
    for (std::size_t i = 0; i < p_.instructions.size(); ++i)
      while (reduced_of(p_.instructions[i].kind) && shrink(i)) index_values();
    insert();
  }

 private:
  /// Who makes and who uses what; inserted instructions are not among them.
  void index_values() {
    producer_.assign(p_.values.size(), kNobody);
    user_.assign(p_.values.size(), kNobody);
    single_.assign(p_.values.size(), true);
    for (std::size_t i = 0; i < p_.instructions.size(); ++i) {
      if (dead_.contains(i)) continue;
      for (ValueId r : p_.instructions[i].results) producer_[r.at()] = i;
      for (ValueId o : p_.instructions[i].operands) use(o, i);
    }
    for (const auto& [i, list] : before_)
      for (const Instruction& added : list)
        for (ValueId o : added.operands) use(o, i);
    for (const auto& [i, added] : after_)
      use(added.operands[0], i), producer_[added.results[0].at()] = i;
  }
  void use(ValueId value, std::size_t i) {
    std::size_t& user = user_[value.at()];
    if (user != kNobody && user != i) single_[value.at()] = false;
    user = i;
  }

  /// Removes one gather in front of the reduction, if there is one that should go.
  bool shrink(std::size_t reduction) {
    bool done = false;
    std::vector<std::size_t> path;
    for (ValueId operand : p_.instructions[reduction].operands) {
      trace(operand, path, [&] { return done = try_path(reduction, path); });
      if (done) break;
    }
    return done;
  }

  /// Calls found() for every way down, through views and maps that nothing else uses, to a gather;
  /// stops when it returns true. `path`: from the reduction down.
  bool trace(ValueId value, std::vector<std::size_t>& path, const std::function<bool()>& found) {
    const std::size_t at = producer_[value.at()];
    if (at == kNobody || !single_[value.at()] || path.size() > kLongest) return false;
    const Instruction& instruction = p_.instructions[at];
    if (after_.contains(at) || instruction.results.size() != 1) return false;
    path.push_back(at);
    bool stop = false;
    if (std::holds_alternative<AllGather>(instruction.kind)) {
      stop = found();
    } else if (std::holds_alternative<Map>(instruction.kind) ||
               std::holds_alternative<Rearrange>(instruction.kind)) {
      for (ValueId operand : instruction.operands) {
        stop = trace(operand, path, found);
        if (stop) break;
      }
    }
    path.pop_back();
    return stop;
  }

  bool try_path(std::size_t reduction, const std::vector<std::size_t>& path) {
    const auto gather = std::get<AllGather>(p_.instructions[path.back()].kind);
    std::vector<Link> links;
    DimId dim = gather.dims[0];
    for (std::size_t i = path.size() - 1; i-- > 0;) {
      links.push_back({path[i], dim});
      dim = renamed(p_.instructions[path[i]], dim, gather.axis);
      if (!dim.valid()) return false;
    }
    links.push_back({reduction, dim});
    if (!contains(*reduced_of(p_.instructions[reduction].kind), dim)) return false;
    if (!is_free(links, path.back(), gather.axis)) return false;
    if (!saves(reduction, path.back())) return false;
    rewrite(links, path.back(), gather.axis);
    return true;
  }

  /// The dimension that has the split after the instruction; invalid if the split cannot go along.
  DimId renamed(const Instruction& instruction, DimId dim, AxisId axis) const {
    const auto* view = std::get_if<Rearrange>(&instruction.kind);
    if (!view) return dim;
    for (const DimGroup& group : view->groups) {
      if (!contains(group.from, dim)) continue;
      if (group.from[0] != dim) return {};
      const ShardType& type = p_.at(instruction.results[0]).type;
      const auto at = static_cast<std::size_t>(position(type.tensor.dims, group.to[0]));
      const std::int64_t blocks = shard_count(mesh_, type.sharding, at) * mesh_.size(axis);
      return dims_.size(group.to[0]) % blocks == 0 ? group.to[0] : DimId{};
    }
    return dim;
  }

  /// Nothing on the way varies along the axis yet, but the gather's own operand.
  bool is_free(const std::vector<Link>& links, std::size_t gather, AxisId axis) const {
    const auto varies = [&](ValueId id) {
      return contains(varying_axes(p_.at(id).type.sharding), axis);
    };
    for (const Link& link : links) {
      const Instruction& instruction = p_.instructions[link.at];
      for (ValueId id : instruction.operands)
        if (varies(id)) return false;
      for (ValueId id : instruction.results)
        if (varies(id)) return false;
    }
    return !varies(p_.instructions[gather].results[0]);
  }

  std::int64_t bytes(ValueId value) const { return shard_bytes(dims_, mesh_, p_.at(value).type); }

  /// A gather sends the shard to n - 1 others; a small sum its result to as many, p (n - 1) more
  /// where p processors add theirs anyway; a large one less than that.
  bool saves(std::size_t reduction, std::size_t gather) {
    const ValueId result = p_.instructions[reduction].results[0];
    const Sharding& sharding = p_.at(result).type.sharding;
    if (sharding.is_partial() && !completion(reduction)) return false;
    std::int64_t adding = 1;
    for (AxisId axis : sharding.partial) adding *= mesh_.size(axis);
    return bytes(result) * adding < bytes(p_.instructions[gather].operands[0]);
  }

  /// The all_reduce that completes the reduction, if that is all that uses it.
  AllReduce* completion(std::size_t reduction) {
    const ValueId result = p_.instructions[reduction].results[0];
    if (const auto added = after_.find(reduction); added != after_.end())
      return &std::get<AllReduce>(added->second.kind);
    const std::size_t user = user_[result.at()];
    if (user == kNobody || !single_[result.at()]) return nullptr;
    auto* all_reduce = std::get_if<AllReduce>(&p_.instructions[user].kind);
    return all_reduce && p_.instructions[user].operands.size() == 1 ? all_reduce : nullptr;
  }

  void rewrite(const std::vector<Link>& links, std::size_t gather, AxisId axis) {
    const Instruction gathered = p_.instructions[gather];
    for (const Link& link : links) {
      Instruction& instruction = p_.instructions[link.at];
      for (ValueId& operand : instruction.operands)
        operand = on_shard(operand, link, axis, gathered);
      if (&link == &links.back()) break;
      const ValueId result = instruction.results[0];
      const DimId dim = renamed(instruction, link.dim, axis);
      split(p_.values[result.at()].type, dim, axis);
    }
    dead_.insert(gather);
    complete(links.back().at, axis, gathered.origin);
  }

  static void split(ShardType& type, DimId dim, AxisId axis) {
    type.sharding.split[static_cast<std::size_t>(position(type.tensor.dims, dim))].push_back(axis);
  }

  /// An operand split like what is no longer gathered.
  ValueId on_shard(ValueId operand, const Link& link, AxisId axis, const Instruction& gathered) {
    const ShardType& type = p_.at(operand).type;
    if (!contains(type.tensor.dims, link.dim) || contains(split_of(type, link.dim), axis))
      return operand;
    if (operand == gathered.results[0]) return gathered.operands[0];
    const std::size_t producer = producer_[operand.at()];
    if (producer != kNobody &&
        p_.instructions[producer].kind == InstructionKind{AllGather{{link.dim}, axis}}) {
      if (single_[operand.at()]) dead_.insert(producer);
      return p_.instructions[producer].operands[0];
    }
    const ValueId cut = next_id<ValueId>(p_.values);
    ProgramValue value = p_.at(operand);
    split(value.type, link.dim, axis);
    p_.values.push_back(std::move(value));
    before_[link.at].push_back(
        {Shard{link.dim, axis}, {operand}, {cut}, gathered.origin, gathered.role});
    return cut;
  }

  void complete(std::size_t at, AxisId axis, const Origin& why) {
    Instruction& reduction = p_.instructions[at];
    const Combine combine = combine_of(reduction.kind);
    const ValueId result = reduction.results[0];
    AllReduce* all_reduce = p_.at(result).type.sharding.is_partial() ? completion(at) : nullptr;
    ValueId partial = result;
    if (!all_reduce) {
      partial = next_id<ValueId>(p_.values);
      p_.values.push_back(p_.at(result));
      Origin origin = reduction.origin;
      origin.cause = why.cause;
      reduction.results = {partial};
      Instruction& added = after_[at];
      added = {AllReduce{combine, {}}, {partial}, {result}, std::move(origin), reduction.role};
      all_reduce = &std::get<AllReduce>(added.kind);
    }
    Sharding& sharding = p_.values[partial.at()].type.sharding;
    sharding.partial.push_back(axis);
    std::sort(sharding.partial.begin(), sharding.partial.end());
    sharding.combine = combine;
    all_reduce->axes = sharding.partial;
  }

  void insert() {
    if (after_.empty() && before_.empty()) return;
    std::vector<Instruction> all;
    all.reserve(p_.instructions.size() * 5 / 4);
    for (std::size_t i = 0; i < p_.instructions.size(); ++i) {
      for (Instruction& added : before_[i]) all.push_back(std::move(added));
      all.push_back(std::move(p_.instructions[i]));
      if (const auto added = after_.find(i); added != after_.end())
        all.push_back(std::move(added->second));
    }
    p_.instructions = std::move(all);
  }

  static constexpr std::size_t kNobody = static_cast<std::size_t>(-1);
  static constexpr std::size_t kLongest = 16;  // instructions between a gather and its reduction

  Program& p_;
  const DimTable& dims_;
  const Mesh& mesh_;
  std::vector<std::size_t> producer_, user_;  // by value: numbers of instructions
  std::vector<bool> single_;                  // by value: used by one instruction
  std::map<std::size_t, std::vector<Instruction>> before_;
  std::map<std::size_t, Instruction> after_;
  std::set<std::size_t> dead_;  // gathers that nothing uses any more
};

}  // namespace

void gather_reduce(Program& program, const DimTable& dims, const Mesh& mesh) {
  Rewriting(program, dims, mesh).run();
  prune(program);
}

}  // namespace mtfc::lowering
