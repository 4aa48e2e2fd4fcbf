// Graph: the global view of one computation. SSA over whole named-dimension tensors, an open set of
// operations (src/ops says what each means).
#pragma once
#include <string>
#include <vector>

#include "ir/attrs.h"
#include "ir/origin.h"
#include "ir/step_role.h"
#include "ir/type.h"
#include "support/special_members.h"

namespace mtfc {

struct Value {
  TensorType type;
  SharedText name;  // its path in the model ("layers.0.attn.q"); empty for what has no name
  OpId producer;
  int result = 0;  // which result of the producer
  friend bool operator==(const Value&, const Value&) = default;
};

struct Operation {
  std::string op;  // a name of the table in src/ops: "einsum", "add", "read" ...
  std::vector<ValueId> operands;
  Attrs attrs;
  std::vector<ValueId> results;
  Origin origin;
  StepRole role = {};
  friend bool operator==(const Operation&, const Operation&) = default;
};

/// What leaves a Graph.
struct Output {
  enum class Kind {
    loss,        // a scalar; the sum of all losses is minimised
    metric,      // a scalar, at evaluations
    report,      // a scalar for the log under `name`: "grad_norm", "lr"
    variable,    // becomes the value of variable `name` after the step
    accumulate,  // is added to variable `name`; in the first part of a step it replaces its value
    tensor,      // asked for by name (`run`, `--dump-tensors`)
  };
  Kind kind{};
  std::string name;
  ValueId value;
  friend bool operator==(const Output&, const Output&) = default;
};
std::string_view name(Output::Kind kind);

/// What the update of one parameter starts from and writes. The operations in between have the role
/// `update` with its path.
struct ParameterUpdate {
  std::string parameter;            // its path
  ValueId gradient;                 // complete and unscaled by nothing: before any clipping
  std::vector<std::string> states;  // paths of the optimiser's variables for it
  friend bool operator==(const ParameterUpdate&, const ParameterUpdate&) = default;
};
/// In the order of the model's parameters; a parameter without a gradient has none.
using UpdateTable = std::vector<ParameterUpdate>;

struct Graph {
  MTFC_DECLARE_SPECIAL_MEMBERS(Graph, noexcept);
  explicit Graph(std::string named);

  std::string name;  // "init", "train", "eval", "eval_finish"
  std::vector<Value> values;
  std::vector<Operation> ops;  // in order of computation
  std::vector<Output> outputs;
  UpdateTable updates = {};  // of the graph that ends a training step; empty in others

  const Value& at(ValueId id) const { return values[id.at()]; }
  const Operation& at(OpId id) const { return ops[id.at()]; }
  const Operation& producer(ValueId id) const { return ops[values[id.at()].producer.at()]; }
  friend bool operator==(const Graph&, const Graph&) = default;
};

/// Whether there is something to train.
inline bool has_loss(const Graph& graph) {
  for (const Output& output : graph.outputs)
    if (output.kind == Output::Kind::loss) return true;
  return false;
}

}  // namespace mtfc
