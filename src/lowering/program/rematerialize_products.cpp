// Products with few terms that are much larger than their factors, and what maps make of them, are
// computed again in the backward pass: the scores and the probabilities of attention, quadratic in
// the length, from queries and keys. After Korthikanti et al., "Reducing activation recomputation
// in large transformer models" (arXiv 2205.05198), and Dao et al. (arXiv 2205.14135), which keep
// the statistics of the softmax, as here.
#include <algorithm>
#include <unordered_map>

#include "lowering/graph/large_scores.h"
#include "lowering/program/carriers.h"
#include "lowering/program/large_products.h"
#include "lowering/program/program_passes.h"
#include "lowering/program/rematerialize.h"

namespace mtfc::lowering {
namespace {

class ProductsAgain {
 public:
  ProductsAgain(Program& program, const DimTable& dims, const Mesh& mesh, bool all)
      : p_(program),
        dims_(dims),
        mesh_(mesh),
        all_(all),
        table_(program),
        multiplied_(program.values.size()),
        read_(program.values.size()),
        origin_(program.values.size(), Origin::lost),
        parameters_(program.values.size()) {}

  void run() {
    find_uses();
    find_multiplied();
    for (const Instruction& at : p_.instructions)
      if (forward_of(at) >= 0) judge(at);
    for (std::size_t i = 0; i < p_.instructions.size(); ++i) rewrite(i);
    if (copies_.empty()) return;
    insert(copies_, p_);
    for (std::size_t i = p_.instructions.size(); i-- > 0;)
      if (is_product(p_.instructions[i]) && reads_copy(p_.instructions[i]))
        delay_behind_maps(p_, i);
    prune(p_);  // numbers the values anew, in their order
  }

 private:
  /// From what a value of the forward pass is made.
  enum class Origin : std::uint8_t {
    lost,     // from what nobody keeps
    source,   // variables, inputs, constants
    product,  // one that is computed again, and maps of it
  };
  Origin& origin(ValueId value) { return origin_[value.at()]; }

  bool rewritable(const Instruction& at, ValueId operand) const {
    return table_.is_for_gradient(operand, at);
  }

  void find_uses() {
    for (const Instruction& at : p_.instructions)
      for (ValueId operand : at.operands)
        if (table_.forward(operand) != forward_of(at))
          read_[operand.at()] =
              std::max(read_[operand.at()], rewritable(at, operand) ? Use::again : Use::as_it_is);
  }

  /// What products of a `recompute` read, and what that is made of by maps. What they do not read
  /// is computed again for gradients alone, which have it in their tiles.
  void find_multiplied() {
    for (std::size_t i = p_.instructions.size(); i-- > 0;) {
      const Instruction& at = p_.instructions[i];
      if (!at.role.again) continue;
      const bool reads = std::holds_alternative<Contract>(at.kind) ||
                         (is_map(at) && multiplied_[at.results[0].at()]);
      for (ValueId operand : at.operands)
        if (reads && table_.forward(operand) == at.role.recompute) multiplied_[operand.at()] = true;
    }
  }

  void judge(const Instruction& at) {
    const bool made_of_parameters =
        is_read(at.kind) ||
        (!at.operands.empty() && std::all_of(at.operands.begin(), at.operands.end(),
                                             [&](ValueId id) { return parameters_[id.at()]; }));
    for (ValueId result : at.results) parameters_[result.at()] = made_of_parameters;
    if (at.results.size() != 1) return;
    const ValueId result = at.results[0];
    if (reads_no_tensor(at) || is_much_larger(at)) {
      origin(result) = reads_no_tensor(at) ? Origin::source : Origin::product;
    } else if (is_cheap_map(at, p_) && may_be_made_again(at)) {
      Origin made = Origin::source;
      for (ValueId operand : at.operands) {
        if (origin(operand) == Origin::lost && !is_small_beside(operand, result, p_, dims_)) return;
        made = std::max(made, origin(operand));
      }
      origin(result) = made;
    }
    if (read_[result.at()] == Use::as_it_is && origin(result) == Origin::product)
      origin(result) = Origin::lost;
  }

  /// Positions, constants and samples: maps that need them make them themselves.
  bool reads_no_tensor(const Instruction& at) const {
    if (!is_map(at)) return at.operands.empty();
    return std::all_of(at.operands.begin(), at.operands.end(),
                       [&](ValueId operand) { return p_.at(operand).type.tensor.dims.empty(); });
  }
  /// A product of examples with examples. Where parameters are frozen the backward pass may read
  /// only one of its factors, or none: both together are still smaller than it is.
  bool is_much_larger(const Instruction& at) const {
    const auto* product = std::get_if<Contract>(&at.kind);
    if (!product || !may_be_made_again(at)) return false;
    if (at.role.again && !multiplied_[at.results[0].at()]) return false;
    if (all_ ? p_.at(at.results[0]).type.sharding.is_partial() : !is_tiled(at)) return false;
    std::int64_t terms = 1;
    for (DimId dim : product->reduced) terms *= dims_.size(dim);
    if (terms > kMostTerms) return false;
    const std::int64_t most = elements_of(at.results[0], p_, dims_) / kMuchLarger;
    return std::all_of(at.operands.begin(), at.operands.end(), [&](ValueId factor) {
      return !parameters_[factor.at()] && elements_of(factor, p_, dims_) <= most;
    });
  }

  /// Whether the pass that comes later tiles it.
  bool is_tiled(const Instruction& at) const {
    return is_large_product(at, p_, dims_, mesh_) &&
           is_worth_tiling(tile_dims_of(at, p_), p_.at(at.results[0]).type, dims_, mesh_);
  }

  void rewrite(std::size_t i) {
    for (std::size_t k = 0; k < p_.instructions[i].operands.size(); ++k) {
      const ValueId operand = p_.instructions[i].operands[k];
      if (rewritable(p_.instructions[i], operand) && origin(operand) == Origin::product)
        p_.instructions[i].operands[k] = again(operand, i);
    }
  }

  /// What stands for the value in instruction `user` and those behind it.
  ValueId again(ValueId value, std::size_t user) {
    if (const auto found = copy_of_.find(value); found != copy_of_.end()) return found->second;
    Instruction copy = table_.maker(value);
    if (auto* map = std::get_if<Map>(&copy.kind)) {
      for (ValueId& operand : copy.operands)
        if (origin(operand) == Origin::product) operand = again(operand, user);
      round(*map);
    }
    const ValueId result = next_id<ValueId>(p_.values);
    p_.values.push_back(p_.at(value));
    copy.results = {result};
    copy.origin.phase = Phase::recompute;
    copy.role = p_.instructions[user].role;
    copies_.emplace_back(user, std::move(copy));
    return copy_of_[value] = result;
  }
  /// To 16 bits, as storing did: maps that it is fused with would go on in f32, and the kept
  /// statistics of a softmax are those of rounded scores.
  static void round(Map& map) {
    std::vector<ScalarInstruction>& code = map.body.code;
    for (int& result : map.body.results) {
      const DType dtype = code[static_cast<std::size_t>(result)].dtype;
      if (!is_half(dtype)) continue;
      code.push_back(scalar::op(ScalarOp::cast, DType::f32, result));
      result = static_cast<int>(code.size());
      code.push_back(scalar::op(ScalarOp::cast, dtype, result - 1));
    }
  }
  bool reads_copy(const Instruction& at) const {
    return std::any_of(at.operands.begin(), at.operands.end(),
                       [&](ValueId operand) { return operand.at() >= origin_.size(); });
  }

  /// How instructions behind the forward pass read a value of it.
  enum class Use : std::uint8_t { never, again, as_it_is };

  Program& p_;
  const DimTable& dims_;
  const Mesh& mesh_;
  const bool all_;
  const ForwardTable table_;
  std::vector<bool> multiplied_;  // by value: by products of its `recompute`
  std::vector<Use> read_;         // by value
  std::vector<Origin> origin_;    // by value
  std::vector<bool> parameters_;  // by value: made of variables alone
  Copies copies_;                 // with the first user, ascending
  std::unordered_map<ValueId, ValueId> copy_of_;
};

}  // namespace

void rematerialize_products(Program& program, const DimTable& dims, const Mesh& mesh, bool all) {
  ProductsAgain(program, dims, mesh, all).run();
}

}  // namespace mtfc::lowering
