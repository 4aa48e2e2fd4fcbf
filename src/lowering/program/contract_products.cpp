#include "lowering/program/program_passes.h"

namespace mtfc::lowering {
namespace {

class Products {
 public:
  explicit Products(Program& program)
      : p_(program), producer_(program.values.size(), nullptr), uses_(program.values.size()) {
    for (const Instruction& at : p_.instructions) {
      for (ValueId result : at.results) producer_[result.at()] = &at;
      for (ValueId operand : at.operands) ++uses_[operand.at()];
    }
  }

  void run() {
    for (Instruction& at : p_.instructions) {
      const auto* sum = std::get_if<Reduce>(&at.kind);
      if (!sum || sum->kind != Combine::sum || sum->reduced.empty()) continue;
      const Instruction* product = producer_[at.operands[0].at()];
      if (!product || uses_[at.operands[0].at()] != 1 || !is_product(*product)) continue;
      if (product->role.recompute != at.role.recompute || !along_memory(*product, *sum)) continue;
      at.operands = product->operands;
      at.kind = Contract{sum->reduced};
    }
    prune(p_);
  }

 private:
  const ShardType& type(ValueId value) const { return p_.at(value).type; }

  /// A map of one multiplication, of complete floats that need no rounding in between. Halves may
  /// be widened for it, as sums of products do by themselves.
  bool is_product(const Instruction& at) const {
    const auto* map = std::get_if<Map>(&at.kind);
    if (!map || at.operands.size() != 2) return false;
    const std::vector<ScalarInstruction>& code = map->body.code;
    const ScalarInstruction& last = code.back();
    if (last.kind != LeafKind::none || last.op != ScalarOp::mul || last.args[0] == last.args[1] ||
        (last.dtype != DType::f32 && last.dtype != DType::f64))
      return false;
    return code.size() == 1 + steps_of(code, last.args[0]) + steps_of(code, last.args[1]);
  }
  /// Of an operand that is read as it is, or widened; so many that no body has them if it is not.
  static std::size_t steps_of(const std::vector<ScalarInstruction>& code, int step) {
    const ScalarInstruction& made = code[static_cast<std::size_t>(step)];
    if (made.kind == LeafKind::operand) return 1;
    if (made.kind != LeafKind::none || made.op != ScalarOp::cast || made.dtype != DType::f32)
      return code.size();
    const ScalarInstruction& from = code[static_cast<std::size_t>(made.args[0])];
    return from.kind == LeafKind::operand && is_half(from.dtype) ? 2 : code.size();
  }

  /// Both factors have the product's elements in the product's order, and what is summed comes last
  /// in it: a sum is one run of each.
  bool along_memory(const Instruction& product, const Reduce& sum) const {
    const ShardType& all = type(product.results[0]);
    for (ValueId factor : product.operands)
      if (type(factor).tensor.dims != all.tensor.dims || type(factor).sharding != all.sharding ||
          all.sharding.is_partial())
        return false;
    const std::vector<DimId>& dims = all.tensor.dims;
    for (std::size_t i = dims.size() - sum.reduced.size(); i < dims.size(); ++i)
      if (!contains(sum.reduced, dims[i])) return false;
    return true;
  }

  Program& p_;
  std::vector<const Instruction*> producer_;
  std::vector<int> uses_;
};

}  // namespace

void contract_products(Program& program) { Products(program).run(); }

}  // namespace mtfc::lowering
