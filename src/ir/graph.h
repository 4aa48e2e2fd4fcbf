// Graph: the global view of one computation. SSA over whole named-dimension tensors, an open set of
// operations (src/ops says what each means).
#pragma once
#include <string>
#include <vector>

#include "ir/attrs.h"
#include "ir/origin.h"
#include "ir/type.h"

namespace mtfc {

struct Value {
  TensorType type;
  std::string name;  // its path in the model ("layers.0.attn.q"); empty for what has no name
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

struct Graph {
  std::string name;  // "init", "train", "eval", "eval_finish"
  std::vector<Value> values;
  std::vector<Operation> ops;  // in order of computation
  std::vector<Output> outputs;

  const Value& at(ValueId id) const { return values[id.at()]; }
  const Operation& at(OpId id) const { return ops[id.at()]; }
  const Operation& producer(ValueId id) const { return ops[values[id.at()].producer.at()]; }
  friend bool operator==(const Graph&, const Graph&) = default;
};

}  // namespace mtfc
