#include <optional>

#include "lowering/program/carriers.h"
#include "lowering/program/program_passes.h"
#include "lowering/program/replacing.h"

namespace mtfc::lowering {
namespace {

/// Products that are added up one by one from so many on: of a few, maps that follow do it by the
/// way.
constexpr int kFewestProducts = 4;

/// A map that adds two values, of which one is added to the other.
struct Addition {
  ValueId added, sum;
};

class AddOnto {
 public:
  explicit AddOnto(Program& program)
      : p_(program),
        maker_(program.values.size(), kNone),
        uses_(program.values.size()),
        chain_(program.instructions.size(), kNone),
        products_(program.instructions.size()) {
    for (std::size_t i = 0; i < p_.instructions.size(); ++i) {
      for (ValueId result : at(i).results) maker_[result.at()] = i;
      for (ValueId operand : at(i).operands) ++uses_[operand.at()];
    }
  }

  void run() {
    bool any = false;
    for (std::size_t i = 0; i < p_.instructions.size(); ++i)
      if (is_sum_of_two(at(i))) any = add_entry(at(i)) || add_range(i) || note_product(i) || any;
    for (std::size_t i = 0; i < p_.instructions.size(); ++i)
      if (chain_[i] != kNone && products_[chain_[i]] + 1 >= kFewestProducts) add_product(i);
    edits_.finish();
    if (!number_.results.empty()) p_.instructions.insert(p_.instructions.begin(), number_);
    if (any) prune(p_);  // numbers the values anew, in their order
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  Instruction& at(std::size_t i) { return p_.instructions[i]; }
  const ShardType& type(ValueId value) const { return p_.at(value).type; }

  /// What of the two an instruction of this kind makes, if nothing else reads it nor the other one,
  /// and both are as the result is.
  template <class Kind>
  std::optional<Addition> addition_of(const Instruction& map) const {
    for (const std::size_t k : {1, 0}) {
      const ValueId added = map.operands[k], sum = map.operands[1 - k];
      const std::size_t made = maker_[added.at()];
      if (made != kNone && std::holds_alternative<Kind>(p_.instructions[made].kind) &&
          uses_[added.at()] == 1 && uses_[sum.at()] == 1 && type(added) == type(map.results[0]) &&
          type(sum) == type(map.results[0]))
        return Addition{added, sum};
    }
    return std::nullopt;
  }

  /// Not scattered into zeros.
  bool add_entry(Instruction& map) {
    const auto addition = addition_of<ScatterAdd>(map);
    if (!addition) return false;
    const Instruction& scatter = at(maker_[addition->added.at()]);
    const auto& kind = std::get<ScatterAdd>(scatter.kind);
    if (kind.dims.size() != 1) return false;
    // Of several numbers at one place 16 bits would round each addition.
    const bool one_each = type(scatter.operands[1]).tensor.dims.empty();
    if (is_half(type(addition->sum).tensor.dtype) && !one_each) return false;
    map.kind = AddAt{kind.dims[0], kind.reduced};
    map.operands = {scatter.operands[0], scatter.operands[1], addition->sum};
    return true;
  }

  /// A range is entries side by side: not put into zeros.
  bool add_range(std::size_t i) {
    const auto addition = addition_of<Pad>(at(i));
    if (!addition) return false;
    const Instruction& padded = at(maker_[addition->added.at()]);
    const auto& kind = std::get<Pad>(padded.kind);
    const ValueId indices = edits_.put(i, counting(kind.fresh, kind.begin), {},
                                       {{DType::i32, {kind.fresh}}, {{{}}, {}}});
    const ValueId result = at(i).results[0];
    edits_.put(i, AddAt{kind.dim, {kind.fresh}}, {padded.operands[0], indices, addition->sum},
               type(result), result);
    return true;
  }

  /// Of gradients: the sum must be there when the product is computed.
  bool note_product(std::size_t i) {
    if (at(i).role.kind != StepRole::Kind::gradient) return false;
    const auto addition = addition_of<Contract>(at(i));
    if (!addition) return false;
    const std::size_t sum = maker_[addition->sum.at()];
    if (sum == kNone || sum > maker_[addition->added.at()]) return false;
    chain_[i] = chain_[sum] == kNone ? i : chain_[sum];
    ++products_[chain_[i]];
    return true;
  }

  /// The product becomes the sum with it.
  void add_product(std::size_t i) {
    const Addition addition = *addition_of<Contract>(at(i));
    Instruction& product = at(maker_[addition.added.at()]);
    product.operands = {product.operands[0], product.operands[1], addition.sum, number(at(i))};
    product.kind = AddProduct{std::get<Contract>(product.kind).reduced};
    product.results = at(i).results;
    at(i).results.clear();
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
  std::vector<std::size_t> chain_;  // by map that adds a product: the first one of its chain
  std::vector<int> products_;       // by first one: maps of the chain
  Instruction number_;              // of all products
};

}  // namespace

void add_onto(Program& program) { AddOnto(program).run(); }

}  // namespace mtfc::lowering
