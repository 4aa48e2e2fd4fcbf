// The operation table: what each graph operation means, in one place per operation.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "ops/call_form.h"
#include "ops/factors.h"
#include "support/scalar.h"

namespace mtfc::ops {

class Builder;

/// What a shape rule gets and gives. It is also the verifier.
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

struct OpDef {
  std::string_view name;
  std::string_view summary;
  std::function<Inferred(const Shapes&)> infer;
  std::function<Factors(const Operation&, const Graph&)> factors;
  /// Absent: not differentiable, for the reason below (integers, comparisons, draws).
  std::function<Gradients(const GradientContext&)> gradient;
  std::string_view not_differentiable;
  /// Composite: rebuilds the operation from others; absent for what lowering knows.
  std::function<std::vector<ValueId>(Builder&, const Operation&)> expand;
  /// Scalar form of an elementwise operation.
  std::optional<ScalarOp> scalar;
  /// How the language calls it by name; absent: it is not called so, or in a form of its own that
  /// the frontend knows.
  std::optional<CallForm> call;
};

/// Every operation, in the order of the documentation.
const std::vector<const OpDef*>& all_ops();
/// Null if there is none so named.
const OpDef* find_op(std::string_view name);
const OpDef& op_named(std::string_view name);

}  // namespace mtfc::ops
