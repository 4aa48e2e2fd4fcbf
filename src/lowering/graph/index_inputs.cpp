#include "lowering/graph/index_inputs.h"

#include <algorithm>

#include "ops/inputs.h"
#include "ops/op.h"

namespace mtfc::lowering {

namespace {

class IndexInputs {
 public:
  explicit IndexInputs(const Model& model) : model_(model) {}

  void read(const Graph& graph) {
    for (const Operation& op : graph.ops) {
      const auto& indices = ops::op_of(op).indices;
      if (!indices) continue;
      for (const ops::IndexOperand& index : indices(op))
        note(graph, op.operands[index.operand], index.dim);
    }
  }
  std::vector<IndexInput> found() && { return std::move(found_); }

 private:
  void note(const Graph& graph, ValueId indices, DimId dim) {
    if (graph.at(indices).type.dtype != DType::i32) return;
    const std::string* name = ops::viewed_input(graph, indices);
    if (name == nullptr) return;
    const auto known = std::find_if(found_.begin(), found_.end(),
                                    [&](const IndexInput& f) { return f.input == *name; });
    if (known == found_.end())
      found_.push_back({*name, dim});
    else if (model_.dims.size(dim) < model_.dims.size(known->dim))
      known->dim = dim;
  }

  const Model& model_;
  std::vector<IndexInput> found_;
};

}  // namespace

std::vector<IndexInput> find_index_inputs(const Model& model) {
  IndexInputs inputs(model);
  inputs.read(model.train);
  inputs.read(model.eval);
  return std::move(inputs).found();
}

}  // namespace mtfc::lowering
