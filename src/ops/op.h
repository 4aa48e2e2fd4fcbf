// The operation table: what each graph operation means, in one place per operation.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "ir/program.h"
#include "ops/call_form.h"
#include "ops/factors.h"
#include "ops/signature.h"
#include "support/scalar.h"

namespace mtfc::ops {

class Builder;
class Blockwise;

/// What a shape rule gets and gives. It is also the verifier, behind the signature.
struct Shapes {
  const DimTable& dims;
  const std::vector<TensorType>& operands;
  const Attrs& attrs;
};
/// The results' types, or what is wrong.
struct Inferred {
  std::vector<TensorType> types;
  std::string error;  // empty if fine
};

/// What a gradient rule gets: the operation and, per result, its gradient (invalid if none).
struct GradientContext {
  Builder& build;
  const Operation& op;
  const std::vector<ValueId>& result_grads;

  ValueId operand(std::size_t i) const { return op.operands[i]; }
  ValueId result(std::size_t i = 0) const { return op.results[i]; }
  ValueId grad(std::size_t i = 0) const { return result_grads[i]; }
};
/// One gradient per operand; invalid where there is none.
using Gradients = std::vector<ValueId>;

/// What an operation computes, as far as passes ask: they read this, not names.
enum class Kind : std::uint8_t {
  other,        // what its own rules say
  literal,      // known values: constants, indices
  counter,      // an int of the run: the step, the micro-batch
  field,        // of a data source
  variable,     // the value before the step
  random,       // random numbers
  elementwise,  // `scalar` of the operands' elements
  copy,         // each element is one of the operand's, at known coordinates
  lookup,       // each element is one of the first operand's, at indices that the others hold
  combine,      // products of the operands' elements, combined over what is reduced (Factors)
  scatter,      // sums of the first operand's elements, at indices that the others hold
};

/// A running sum of the operand along `dim`.
struct RunningSum {
  DimId dim;
  bool exclusive = false, reverse = false;  // without the element itself; from the end
};

/// Along `dims`, which the operation needs whole, operands may have padding at the end if it holds
/// `value`: what is not padding comes out as without it. What comes out in the padding may be
/// anything.
struct Padding {
  DimList dims;
  double value = 0;
};

/// An operand that holds indices of a dimension.
struct IndexOperand {
  std::size_t operand = 0;
  DimId dim;
};

/// A row of the table. What it leaves out is absent, factors excepted: they go by name.
struct OpDef {
  std::string_view name;
  std::string_view summary;
  Kind kind = Kind::other;
  Signature signature = {};  // left out: one operand, no attributes
  std::function<Inferred(const Shapes&)> infer = {};
  std::function<Factors(const Operation&, const Graph&)> factors = factors_by_name;
  /// Absent: not differentiable, for the reason below (integers, comparisons, samples).
  std::function<Gradients(const GradientContext&)> gradient = {};
  std::string_view not_differentiable = {};
  /// Composite: rebuilds the operation from others; absent for what lowering knows.
  std::function<std::vector<ValueId>(Builder&, const Operation&)> expand = {};
  /// The instruction that does on shards what the operation does on whole tensors, once what must
  /// be whole is. Absent for composites.
  std::function<InstructionKind(const Operation&, const Graph&)> local = {};
  /// Each element of the result is one of an operand, or a filler, as static attributes say.
  bool moves = false;
  /// Scalar form of an elementwise operation.
  std::optional<ScalarOp> scalar = {};
  /// What the operation on `x` becomes where a dimension that it needs whole is split; invalid if
  /// nothing is better than gathering it.
  std::function<ValueId(Blockwise&, const Operation&, ValueId x)> blockwise = {};
  /// Absent: dimensions that it needs whole must come without padding.
  std::function<Padding(const Operation&)> padding = {};
  /// If it is a running sum: generation carries the sum from position to position.
  std::function<RunningSum(const Operation&)> running_sum = {};
  /// Operands whose elements are meant to be indices of dimensions, none of them outside.
  std::function<std::vector<IndexOperand>(const Operation&)> indices = {};
  /// How the language calls it by name; absent: it is not called so, or in a form of its own that
  /// the frontend knows.
  std::optional<CallForm> call = {};
};

/// Every operation, in the order of the documentation.
const std::vector<const OpDef*>& all_ops();
/// Null if there is none so named.
const OpDef* find_op(std::string_view name);
const OpDef& op_named(std::string_view name);
inline const OpDef& op_of(const Operation& operation) { return op_named(operation.op); }
/// The local form of an operation that has one.
InstructionKind local_instruction(const Operation& op, const Graph& graph);

}  // namespace mtfc::ops
