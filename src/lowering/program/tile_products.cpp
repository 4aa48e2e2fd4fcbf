// Attention without its scores in memory: products that are much larger than their factors, maps
// and sums of them, and the products that take them up run tile by tile, by the dimensions that all
// of them have (batch and heads). After Dao et al., "FlashAttention" (arXiv 2205.14135); but here a
// tile has whole rows of scores, so that nothing is rescaled, and every mask, bias or dropout that
// is a map may stand between the products.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "lowering/program/causal.h"
#include "lowering/program/large_products.h"
#include "lowering/program/program_passes.h"

namespace mtfc::lowering {
namespace {

/// Instructions from one member to the next.
constexpr std::size_t kFarthest = 32;

/// What becomes one instruction.
struct Group {
  std::vector<std::size_t> members;  // instructions, ascending
  DimList tile;
  std::vector<std::size_t> behind;  // of those between: they need what members make
};

/// The tables that finding and rewriting share.
struct Uses {
  const Program& program;
  std::vector<std::vector<std::size_t>> of;  // by value: instructions

  explicit Uses(const Program& program) : program(program), of(program.values.size()) {
    for (std::size_t i = 0; i < program.instructions.size(); ++i)
      for (ValueId operand : program.instructions[i].operands) of[operand.at()].push_back(i);
  }
  static bool is_member(const Group& group, std::size_t i) {
    return std::binary_search(group.members.begin(), group.members.end(), i);
  }
  bool inside(const Group& group, ValueId value) const {
    return std::any_of(of[value.at()].begin(), of[value.at()].end(),
                       [&](std::size_t user) { return is_member(group, user); });
  }
  bool outside(const Group& group, ValueId value) const {
    return std::any_of(of[value.at()].begin(), of[value.at()].end(),
                       [&](std::size_t user) { return !is_member(group, user); });
  }
  /// Of a map or reduction: the order of dimensions is its own, unless nobody else reads it.
  bool is_stored(const Group& group, const Instruction& at) const {
    return !std::holds_alternative<Contract>(at.kind) &&
           std::any_of(at.results.begin(), at.results.end(),
                       [&](ValueId result) { return outside(group, result); });
  }
};

class GroupFinder {
 public:
  GroupFinder(const Program& program, const DimTable& dims, const Mesh& mesh, const Uses& uses)
      : p_(program),
        dims_(dims),
        mesh_(mesh),
        uses_(uses),
        made_(program.values.size()),
        late_(program.values.size()) {}

  std::vector<Group> run() {
    std::vector<Group> found;
    for (std::size_t i = 0; i < p_.instructions.size(); ++i) {
      if (!is_seed(at(i))) continue;
      grow_from(i);
      if (is_worth_it() && can_be_stored()) {
        i = group_.members.back();
        found.push_back(std::move(group_));
      }
    }
    return found;
  }

 private:
  const Instruction& at(std::size_t i) const { return p_.instructions[i]; }
  const ShardType& type(ValueId value) const { return p_.at(value).type; }
  const DimList& dims(ValueId value) const { return type(value).tensor.dims; }
  std::int64_t elements(ValueId value) const { return shard_elements(dims_, mesh_, type(value)); }

  bool is_seed(const Instruction& at) const { return is_large_product(at, p_, dims_, mesh_); }

  // --- Members
  void grow_from(std::size_t first) {
    std::fill(made_.begin(), made_.end(), false);
    std::fill(late_.begin(), late_.end(), false);
    large_ = &type(at(first).results[0]);
    group_ = {{first}, tile_dims_of(at(first), p_), {}};
    mark(at(first), made_);
    for (std::size_t j = first + 1;
         j < p_.instructions.size() && j - group_.members.back() <= kFarthest; ++j)
      if (is_repeated(j) || (!join(j) && needs_members(at(j)))) mark(at(j), late_);
    drop_loose_members();
    for (std::size_t j = first; j < group_.members.back(); ++j)
      if (!Uses::is_member(group_, j) && needs_members(at(j))) group_.behind.push_back(j);
  }
  static void mark(const Instruction& at, std::vector<char>& values) {
    for (ValueId result : at.results) values[result.at()] = true;
  }
  /// A member's product, made again for what comes later.
  bool is_repeated(std::size_t j) const {
    return std::any_of(group_.members.begin(), group_.members.end(), [&](std::size_t i) {
      return std::holds_alternative<Contract>(at(i).kind) && at(i).kind == at(j).kind &&
             at(i).operands == at(j).operands;
    });
  }
  bool needs_members(const Instruction& at) const {
    return std::any_of(at.operands.begin(), at.operands.end(),
                       [&](ValueId operand) { return made_[operand.at()] || late_[operand.at()]; });
  }

  bool join(std::size_t j) {
    const Instruction& next = at(j);
    if (next.results.empty() || next.role.kind != at(group_.members[0]).role.kind ||
        !is_near(next) || !belongs(next) || !is_complete(next, p_))
      return false;
    if (std::any_of(next.operands.begin(), next.operands.end(),
                    [&](ValueId operand) { return late_[operand.at()]; }))
      return false;
    const DimList own = tile_dims_of(next, p_);
    DimList common = group_.tile;
    std::erase_if(common, [&](DimId dim) { return !contains(own, dim); });
    if (tiles_of(common, *large_, dims_, mesh_) < kFewestTiles) return false;
    group_.tile = std::move(common);
    group_.members.push_back(j);
    mark(next, made_);
    return true;
  }
  /// Not of another `recompute`: iterations would wait for each other, and keep what they made.
  bool is_near(const Instruction& next) const {
    return std::all_of(group_.members.begin(), group_.members.end(), [&](std::size_t i) {
      const int tag = at(i).role.recompute;
      return tag == 0 || next.role.recompute == 0 || next.role.recompute == tag;
    });
  }
  bool is_large(ValueId value) const { return same_set(dims(value), large_->tensor.dims); }
  /// Whether a member made one of its operands, of large ones or of others.
  bool reads_made(const Instruction& at, bool large) const {
    return std::any_of(at.operands.begin(), at.operands.end(), [&](ValueId operand) {
      return made_[operand.at()] && is_large(operand) == large;
    });
  }
  /// Whether it computes with large tensors that members made, or makes one that may meet them.
  bool belongs(const Instruction& at) const {
    const bool large = reads_made(at, true);
    if (std::holds_alternative<Contract>(at.kind))
      return large || (is_large(at.results[0]) && is_seed(at));
    if (std::holds_alternative<Reduce>(at.kind)) return large;
    if (!std::holds_alternative<Map>(at.kind)) return false;
    if (is_large(at.results[0])) return large || reads_made(at, false);
    return !large && reads_made(at, false) && is_subset(dims(at.results[0]), large_->tensor.dims);
  }
  /// What no chain of members leads to from the first one, such as scores of the next layer, and
  /// large products that nobody takes up.
  void drop_loose_members() {
    std::vector<std::size_t> rest = group_.members, linked{rest.front()};
    rest.erase(rest.begin());
    for (std::size_t k = 0; k < linked.size(); ++k)
      std::erase_if(rest, [&](std::size_t i) {
        const bool meets = are_linked(at(linked[k]), at(i));
        if (meets) linked.push_back(i);
        return meets;
      });
    std::sort(linked.begin(), linked.end());
    group_.members = std::move(linked);
    const Group all = group_;
    for (const std::size_t i : all.members)
      if (i != all.members[0] && std::holds_alternative<Contract>(at(i).kind) &&
          is_large(at(i).results[0]) && !uses_.inside(all, at(i).results[0])) {
        std::erase(group_.members, i);
        rest.push_back(i);
      }
    for (const std::size_t i : rest)
      for (ValueId result : at(i).results) made_[result.at()] = false;
  }
  /// One reads what the other makes.
  static bool are_linked(const Instruction& a, const Instruction& b) {
    const auto reads = [](const Instruction& user, const Instruction& maker) {
      return std::find_first_of(user.operands.begin(), user.operands.end(), maker.results.begin(),
                                maker.results.end()) != user.operands.end();
    };
    return reads(a, b) || reads(b, a);
  }

  // --- Whether it is a group
  bool is_worth_it() const {
    bool saves = false, taken_up = false;
    for (const std::size_t i : group_.members) {
      for (ValueId result : at(i).results)
        saves |= is_large(result) && !uses_.outside(group_, result);
      taken_up |= std::holds_alternative<Contract>(at(i).kind) && reads_made(at(i), true);
    }
    return saves && taken_up && is_worth_tiling(group_.tile, *large_, dims_, mesh_);
  }
  /// What maps and reductions make for others is stored tile by tile: in another order, if these
  /// read it by name.
  bool can_be_stored() const {
    for (const std::size_t i : group_.members) {
      if (!uses_.is_stored(group_, at(i))) continue;
      const DimList& order = dims(at(i).results[0]);
      if (std::equal(group_.tile.begin(), group_.tile.end(), order.begin())) continue;
      for (ValueId result : at(i).results)
        for (const std::size_t user : uses_.of[result.at()])
          if (!reads_by_name(at(user).kind)) return false;
    }
    return true;
  }
  static bool reads_by_name(const InstructionKind& kind) {
    return std::holds_alternative<Map>(kind) || std::holds_alternative<Reduce>(kind) ||
           std::holds_alternative<Contract>(kind);
  }

  const Program& p_;
  const DimTable& dims_;
  const Mesh& mesh_;
  const Uses& uses_;

  // The group that is being found.
  Group group_;
  const ShardType* large_ = nullptr;  // of its large tensors
  std::vector<char> made_, late_;     // by value: by members; by what needs these
};

/// Puts one instruction in the place of each group.
class Rewriter {
 public:
  Rewriter(Program& program, const DimTable& dims, const Mesh& mesh, const Uses& uses)
      : p_(program), dims_(dims), mesh_(mesh), uses_(uses) {}

  void run(const std::vector<Group>& groups) {
    std::vector<Instruction> all;
    std::size_t next = 0;
    for (const Group& group : groups) {
      for (; next < group.members[0]; ++next) all.push_back(std::move(at(next)));
      for (const std::size_t i : group.members)
        if (uses_.is_stored(group, at(i)))
          for (ValueId result : at(i).results) store_by_tiles(result, group.tile);
      Instruction made = tiled(group);
      for (; next <= group.members.back(); ++next)
        if (!Uses::is_member(group, next) && !is_behind(group, next))
          all.push_back(std::move(at(next)));
      all.push_back(std::move(made));
      for (const std::size_t i : group.behind) all.push_back(std::move(at(i)));
    }
    for (; next < p_.instructions.size(); ++next) all.push_back(std::move(at(next)));
    p_.instructions = std::move(all);
    prune(p_);
  }

 private:
  Instruction& at(std::size_t i) { return p_.instructions[i]; }
  static bool is_behind(const Group& group, std::size_t i) {
    return std::binary_search(group.behind.begin(), group.behind.end(), i);
  }

  void store_by_tiles(ValueId value, const DimList& tile) {
    ShardType& type = p_.values[value.at()].type;
    const ShardType before = type;
    type.tensor.dims = tile;
    for (DimId dim : before.tensor.dims)
      if (!contains(tile, dim)) type.tensor.dims.push_back(dim);
    for (std::size_t d = 0; d < type.tensor.dims.size(); ++d)
      type.sharding.split[d] = split_of(before, type.tensor.dims[d]);
  }

  Instruction tiled(const Group& group) {
    const Instruction& last = at(group.members.back());
    Instruction made{Tiled{group.tile, {}, {}, {}}, {}, {}, last.origin, last.role};
    Tiled& kind = std::get<Tiled>(made.kind);
    number_operands(group, made);
    int next = static_cast<int>(made.operands.size());
    for (const std::size_t i : group.members) {
      Tiled::Step& step = kind.steps.emplace_back(Tiled::Step{step_kind(at(i).kind), {}, {}});
      for (ValueId operand : at(i).operands) step.from.push_back(numbers_.at(operand));
      for (ValueId result : at(i).results) {
        numbers_[result] = next;
        step.to.push_back(p_.at(result).type);
        if (uses_.outside(group, result)) {
          kind.results.push_back(next);
          made.results.push_back(result);
        }
        ++next;
      }
    }
    find_causal(made);
    return made;
  }
  /// With few rows there is nothing to leave out.
  void find_causal(Instruction& made) const {
    Tiled& kind = std::get<Tiled>(made.kind);
    const ShardTypes in = types_of(p_, made.operands), out = types_of(p_, made.results);
    kind.causal = causal_dims(kind, in);
    if (kind.causal.empty()) return;
    const bool several =
        Tiled::blocks(dims_.size(kind.causal[0]), dims_.size(kind.causal[1])).size() > 1;
    if (!several || !kind.check({dims_, mesh_, in, out}).empty()) kind.causal.clear();
  }
  /// What no member makes.
  void number_operands(const Group& group, Instruction& made) {
    numbers_.clear();
    std::unordered_set<ValueId> inner;
    for (const std::size_t i : group.members)
      inner.insert(at(i).results.begin(), at(i).results.end());
    for (const std::size_t i : group.members)
      for (ValueId operand : at(i).operands)
        if (!inner.contains(operand) &&
            numbers_.emplace(operand, static_cast<int>(made.operands.size())).second)
          made.operands.push_back(operand);
  }
  static Tiled::Kind step_kind(const InstructionKind& kind) {
    if (const auto* map = std::get_if<Map>(&kind)) return *map;
    if (const auto* reduce = std::get_if<Reduce>(&kind)) return *reduce;
    return std::get<Contract>(kind);
  }

  Program& p_;
  const DimTable& dims_;
  const Mesh& mesh_;
  const Uses& uses_;
  std::unordered_map<ValueId, int> numbers_;  // in the instruction that is being made
};

}  // namespace

void tile_products(Program& program, const DimTable& dims, const Mesh& mesh) {
  const Uses uses(program);
  const std::vector<Group> groups = GroupFinder(program, dims, mesh, uses).run();
  if (!groups.empty()) Rewriter(program, dims, mesh, uses).run(groups);
}

}  // namespace mtfc::lowering
