#include <map>
#include <set>

#include "lowering/program/carriers.h"
#include "lowering/program/program_passes.h"

namespace mtfc::lowering {
namespace {

class Additions {
 public:
  explicit Additions(Program& program)
      : p_(program), maker_(program.values.size(), kNone), uses_(program.values.size()) {
    for (std::size_t i = 0; i < p_.instructions.size(); ++i) {
      for (ValueId result : at(i).results) maker_[result.at()] = i;
      for (ValueId operand : at(i).operands) ++uses_[operand.at()];
    }
  }

  void run() {
    for (std::size_t i = 0; i < p_.instructions.size(); ++i)
      if (adds_microbatch(at(i))) add_product(i);
    if (products_.empty()) return;
    std::vector<Instruction> all = std::move(p_.instructions);
    p_.instructions.clear();
    p_.instructions.push_back(all[maker_[number_.at()]]);
    for (std::size_t i = 0; i < all.size(); ++i) move_over(all, i);
    prune(p_);  // numbers the values anew, in their order
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  /// In the place of a product.
  struct Addition {
    std::size_t before = kNone;  // reads the sum
    std::size_t after = kNone;   // the map that adds to it
    std::size_t cast = kNone;    // of the product, if there is one
  };

  Instruction& at(std::size_t i) { return p_.instructions[i]; }
  const ShardType& type(ValueId value) const { return p_.at(value).type; }
  bool once(ValueId value) const { return uses_[value.at()] == 1; }

  /// What lowering makes of an output that micro-batches add up: of the sum, the amount and the
  /// number of the micro-batch, which is fed.
  bool adds_microbatch(const Instruction& map) {
    if (!std::holds_alternative<Map>(map.kind) || map.operands.size() != 3) return false;
    if (!at(maker_[map.operands[2].at()]).operands.empty() || !once(map.operands[0])) return false;
    return is_read(at(maker_[map.operands[0].at()]).kind) &&
           type(map.operands[0]) == type(map.results[0]) && is_sum_or_amount(map);
  }
  /// Number 0 ? amount : sum + amount.
  static bool is_sum_or_amount(const Instruction& map) {
    const std::vector<ScalarInstruction>& code = std::get<Map>(map.kind).body.code;
    if (code.size() != 7) return false;
    const auto leaf = [&](std::size_t i, int operand) {
      return code[i].kind == LeafKind::operand && code[i].leaf == operand;
    };
    const auto apply = [&](std::size_t i, ScalarOp op, int a, int b) {
      return code[i].kind == LeafKind::none && code[i].op == op && code[i].args[0] == a &&
             code[i].args[1] == b;
    };
    return leaf(0, 0) && leaf(1, 1) && leaf(2, 2) && code[3].kind == LeafKind::constant &&
           code[3].value == 0 && apply(4, ScalarOp::eq, 2, 3) && apply(5, ScalarOp::add, 0, 1) &&
           apply(6, ScalarOp::select, 4, 1) && code[6].args[2] == 5;
  }

  /// If the amount is a product that nothing else uses, cast at most.
  void add_product(std::size_t i) {
    if (number_.valid() && number_ != at(i).operands[2]) return;
    ValueId amount = at(i).operands[1];
    Addition addition{maker_[at(i).operands[0].at()], i, kNone};
    if (!once(amount)) return;
    std::size_t made = maker_[amount.at()];
    if (only_cast(at(made)) != nullptr) {
      addition.cast = made;
      amount = at(made).operands[0];
      if (!once(amount)) return;
      made = maker_[amount.at()];
    }
    if (!std::holds_alternative<Contract>(at(made).kind)) return;
    if (type(amount).tensor.dims != type(at(i).results[0]).tensor.dims) return;
    products_[made] = addition;
    for (const std::size_t gone : {addition.before, addition.after, addition.cast})
      if (gone != kNone) gone_.insert(gone);
    number_ = at(i).operands[2];
    gone_.insert(maker_[number_.at()]);
  }

  void move_over(std::vector<Instruction>& all, std::size_t i) {
    if (gone_.contains(i)) return;
    const auto product = products_.find(i);
    if (product == products_.end()) {
      p_.instructions.push_back(std::move(all[i]));
      return;
    }
    const Addition& addition = product->second;
    Instruction added = std::move(all[addition.after]);
    p_.instructions.push_back(std::move(all[addition.before]));
    added.kind = AddProduct{std::get<Contract>(all[i].kind).reduced};
    added.operands = {all[i].operands[0], all[i].operands[1], added.operands[0], number_};
    p_.instructions.push_back(std::move(added));
  }

  Program& p_;
  std::vector<std::size_t> maker_;
  std::vector<int> uses_;
  std::map<std::size_t, Addition> products_;  // by the product's place
  std::set<std::size_t> gone_;                // what stands elsewhere, or nowhere
  ValueId number_;                            // of the micro-batch
};

}  // namespace

void add_products(Program& program) { Additions(program).run(); }

}  // namespace mtfc::lowering
