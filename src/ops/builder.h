// Building Graphs: any operation by its name, and functions for those that many files build. Those
// of other operations stand in their own headers. Shape rules are those of the operation table
// (op.h); a violation here is our own bug, so callers check what users wrote first.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "support/scalar.h"

namespace mtfc::ops {

class Builder {
 public:
  Builder(Graph& graph, const DimTable& dims) : graph_(graph), dims_(dims) {}

  Graph& graph() { return graph_; }
  const DimTable& dims() const { return dims_; }
  const TensorType& type(ValueId id) const { return graph_.at(id).type; }

  // Given to every operation built.
  Origin origin;
  StepRole role;
  /// What is built from here on stands for `op`, or belongs to it.
  void follow(const Operation& op) {
    origin = op.origin;
    role = op.role;
  }

  /// Any operation of the table.
  ValueId apply(const std::string& op, std::vector<ValueId> operands, Attrs attrs = {});
  std::vector<ValueId> apply_many(const std::string& op, std::vector<ValueId> operands,
                                  Attrs attrs);
  /// The operation of another graph, with these operands; its results keep their names. Types are
  /// not inferred anew where the operands have those of the original.
  std::vector<ValueId> copy(const Graph& from, const Operation& op, std::vector<ValueId> operands);
  /// The name shown for a value: its path. The first name given stays.
  void set_name(ValueId id, SharedText name);

  // --- sources
  ValueId constant(double value, DType dtype, DimList dims = {});  // exact for i32 and bool too
  ValueId index(DimId dim);                                        // i32[dim]: 0 .. size-1
  ValueId input(const std::string& name, TensorType type);
  ValueId read(const std::string& variable, TensorType type);
  ValueId step();  // i32[]
  /// `key` = runtime::random_key(seed, path) as bits. `fresh`: a function of the step as well.
  ValueId random(Distribution distribution, double a, double b, std::int64_t key, TensorType type,
                 bool fresh);

  // --- elementwise, broadcast by name; see ops/elementwise.cpp for the list
  ValueId unary(const std::string& op, ValueId x);
  ValueId binary(const std::string& op, ValueId a, ValueId b);
  ValueId where(ValueId condition, ValueId a, ValueId b);
  ValueId cast(ValueId x, DType dtype);
  ValueId broadcast(ValueId x, DimList dims);  // exactly these dims, in this order (a superset)
  ValueId stop_gradient(ValueId x);

  // --- products and reductions. `to`: what remains, in storage order
  ValueId einsum(std::vector<ValueId> operands, DimList reduced);
  ValueId einsum_to(std::vector<ValueId> operands, DimList to);
  ValueId reduce(Combine kind, ValueId x, DimList reduced);  // bool: max is any, min is all
  ValueId reduce_to(Combine kind, ValueId x, DimList to);
  /// Optional weight: sum(x * w) / sum(w), by selection.
  ValueId mean(ValueId x, DimList reduced, std::optional<ValueId> weight);
  ValueId argmax(ValueId x, DimList reduced);  // one dim
  ValueId softmax(ValueId x, DimList over);
  ValueId log_softmax(ValueId x, DimList over);
  ValueId logsumexp(ValueId x, DimList over);
  /// t: i32 without v, or float with v. Per-example loss, without v.
  ValueId cross_entropy(ValueId logits, ValueId t, DimId v, double smoothing, double z_loss);
  ValueId one_hot(ValueId x, DimId fresh, DType dtype);

  // --- views
  ValueId view(ValueId x, std::vector<DimGroup> groups);  // all items at once
  ValueId slice(ValueId x, DimId dim, std::int64_t begin, DimId fresh);
  /// x[dims[j] = indices[j]], out of range gives fill. Result: the index tensors' dims in front, in
  /// the place of the first indexed dimension, then what is left of x.
  ValueId gather(ValueId x, DimList dims, std::vector<ValueId> indices, double fill);
  /// x with each item's dimension read at an affine place, outside of it `fill`.
  ValueId window(ValueId x, std::vector<WindowItem> items, double fill);

 private:
  Operation& append(Operation operation);
  /// To the operation appended last.
  void add_result(Operation& operation, TensorType type, SharedText name);

  Graph& graph_;
  const DimTable& dims_;
};

}  // namespace mtfc::ops
