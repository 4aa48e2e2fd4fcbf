#include <optional>

#include "lowering/program/carriers.h"
#include "lowering/program/program_passes.h"
#include "lowering/program/replacing.h"

namespace mtfc::lowering {
namespace {

/// A map that adds two values, of which one is made by a product, a scattering or a padding: that
/// is added to the other one, the sum.
struct Addition {
  std::size_t map = 0, made = 0;  // instructions; `made` makes what is added
  ValueId sum;
};
/// Each adds to the result of the one before.
using Chain = std::vector<Addition>;

/// Of halves, whose sum is f32 here: fewer parts are as many bytes, and a map adds them in f32,
/// too.
constexpr std::size_t kFewestHalves = 4;

class AddOnto {
 public:
  explicit AddOnto(Program& program)
      : p_(program),
        maker_(program.values.size(), kNone),
        uses_(program.values.size()),
        chain_(program.instructions.size(), kNone) {
    for (std::size_t i = 0; i < p_.instructions.size(); ++i) {
      for (ValueId result : at(i).results) maker_[result.at()] = i;
      for (ValueId operand : at(i).operands) ++uses_[operand.at()];
    }
  }

  void run() {
    for (std::size_t i = 0; i < p_.instructions.size(); ++i)
      if (is_sum_of_two(at(i)))
        if (const auto addition = addition_of(i)) note(*addition);
    if (chains_.empty()) return;
    for (const Chain& chain : chains_)
      if (!is_half(type(chain.front().sum).tensor.dtype) || chain.size() + 1 >= kFewestHalves)
        convert(chain);
    edits_.finish();
    if (!number_.results.empty()) p_.instructions.insert(p_.instructions.begin(), number_);
    prune(p_);  // numbers the values anew, in their order
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  const Instruction& at(std::size_t i) const { return p_.instructions[i]; }
  const ShardType& type(ValueId value) const { return p_.at(value).type; }
  ValueId result(std::size_t i) const { return at(i).results[0]; }

  /// Nothing else reads what is added, nor the sum, and both are as the result is.
  std::optional<Addition> addition_of(std::size_t map) const {
    const std::vector<ValueId>& operands = at(map).operands;
    for (const ValueId operand : operands)
      if (uses_[operand.at()] != 1 || type(operand) != type(result(map))) return std::nullopt;
    const ShardType& all = type(result(map));
    // What is partial is not cast.
    if (is_half(all.tensor.dtype) && all.sharding.is_partial()) return std::nullopt;
    for (const std::size_t k : {1, 0}) {
      const Addition one{map, maker_[operands[k].at()], operands[1 - k]};
      if (one.made != kNone && can_add(one)) return one;
    }
    return std::nullopt;
  }

  bool can_add(const Addition& one) const {
    const InstructionKind& kind = at(one.made).kind;
    if (const auto* scatter = std::get_if<ScatterAdd>(&kind)) return scatter->dims.size() == 1;
    if (std::holds_alternative<Pad>(kind)) return true;
    if (!std::holds_alternative<Contract>(kind)) return false;
    // Of gradients: the sum must be there when the product is computed.
    const std::size_t sum = maker_[one.sum.at()];
    return at(one.map).role.kind == StepRole::Kind::gradient && sum != kNone && sum < one.made;
  }

  void note(const Addition& one) {
    const std::size_t before = maker_[one.sum.at()];
    std::size_t& chain = chain_[one.map];
    chain = before == kNone ? kNone : chain_[before];
    if (chain == kNone) {
      chain = chains_.size();
      chains_.emplace_back();
    }
    chains_[chain].push_back(one);
  }

  /// In 16 bits each addition would be rounded: the sum is f32, and is rounded once.
  void convert(const Chain& chain) {
    const ShardType type = this->type(result(chain.front().map));
    const bool rounds = is_half(type.tensor.dtype);
    ShardType wide = type;
    if (rounds) wide.tensor.dtype = DType::f32;
    ValueId sum = rounds ? widened(chain.front().sum) : chain.front().sum;
    for (const Addition& one : chain) {
      const bool is_last = &one == &chain.back();
      if (rounds && !is_last) p_.values[result(one.map).at()].type = wide;
      const std::optional<ValueId> made =
          rounds && is_last ? std::nullopt : std::optional(result(one.map));
      const bool is_product = std::holds_alternative<Contract>(at(one.made).kind);
      sum = is_product ? add_product(one, sum, wide, made) : add_entries(one, sum, wide, made);
      if (rounds && is_last)
        edits_.put(is_product ? one.made : one.map, casting(DType::f32, type.tensor.dtype), {sum},
                   type, result(one.map));
    }
  }

  /// In f32, as it is made if it can be.
  ValueId widened(ValueId value) {
    ShardType wide = type(value);
    const DType half = wide.tensor.dtype;
    wide.tensor.dtype = DType::f32;
    const std::size_t made = maker_[value.at()];
    if (!std::holds_alternative<Contract>(at(made).kind))
      return edits_.put_behind(made, casting(half, DType::f32), {value}, wide);
    p_.values[value.at()].type = wide;
    return value;
  }

  /// The product becomes the sum with it.
  ValueId add_product(const Addition& one, ValueId sum, const ShardType& type,
                      std::optional<ValueId> made) {
    const Instruction& product = at(one.made);
    edits_.drop(one.map);
    return edits_.put(one.made, AddProduct{std::get<Contract>(product.kind).reduced},
                      {product.operands[0], product.operands[1], sum, number(at(one.map))}, type,
                      made);
  }

  /// Not scattered into zeros first, nor put there as a range, which is entries side by side.
  ValueId add_entries(const Addition& one, ValueId sum, const ShardType& type,
                      std::optional<ValueId> made) {
    const Instruction& from = at(one.made);
    ValueId added = from.operands[0];
    if (ShardType wide = this->type(added); wide.tensor.dtype != type.tensor.dtype) {
      const DType half = std::exchange(wide.tensor.dtype, type.tensor.dtype);
      added = edits_.put(one.map, casting(half, type.tensor.dtype), {added}, wide);
    }
    if (const auto* scatter = std::get_if<ScatterAdd>(&from.kind))
      return edits_.put(one.map, AddAt{scatter->dims[0], scatter->reduced},
                        {added, from.operands[1], sum}, type, made);
    const Pad& range = std::get<Pad>(from.kind);
    const ValueId indices = edits_.put(one.map, counting(range.fresh, range.begin), {},
                                       {{DType::i32, {range.fresh}}, {{{}}, {}}});
    return edits_.put(one.map, AddAt{range.dim, {range.fresh}}, {added, indices, sum}, type, made);
  }

  /// Not that of a first micro-batch: a product is always added.
  ValueId number(const Instruction& map) {
    if (number_.results.empty()) {
      number_ = {constant(1, DType::i32), {}, {next_id<ValueId>(p_.values)}, map.origin, map.role};
      p_.values.push_back({{{DType::i32, {}}, {}}, {}});
    }
    return number_.results[0];
  }

  Program& p_;
  Replacing edits_{p_};
  std::vector<std::size_t> maker_;
  std::vector<int> uses_;
  std::vector<std::size_t> chain_;  // by map: which it is part of
  std::vector<Chain> chains_;
  Instruction number_;  // of all products
};

}  // namespace

void add_onto(Program& program) { AddOnto(program).run(); }

}  // namespace mtfc::lowering
