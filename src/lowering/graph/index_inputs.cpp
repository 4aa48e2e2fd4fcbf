#include "lowering/graph/index_inputs.h"

#include <algorithm>

namespace mtfc::lowering {

namespace {

/// The input that a value is, seen through what only renames or passes it on.
const std::string* viewed_input(const Graph& graph, ValueId value) {
  while (true) {
    const Operation& op = graph.producer(value);
    if (op.op == "input") return &op.attrs.text("name");
    const bool passes_on =
        op.op == "view" || op.op == "broadcast" || op.op == "stop_gradient" || op.op == "slice";
    if (!passes_on) return nullptr;
    value = op.operands[0];
  }
}

class IndexInputs {
 public:
  explicit IndexInputs(const Model& model) : model_(model) {}

  void read(const Graph& graph) {
    for (const Operation& op : graph.ops) {
      if (op.op == "gather" && op.attrs.number("fill", 0) == 0) {
        const DimList& dims = op.attrs.dims("dims");
        for (std::size_t j = 0; j < dims.size(); ++j) note(graph, op.operands[j + 1], dims[j]);
      }
      if (op.op == "cross_entropy") note(graph, op.operands[1], op.attrs.dims("over")[0]);
    }
  }
  std::vector<IndexInput> found() && { return std::move(found_); }

 private:
  void note(const Graph& graph, ValueId indices, DimId dim) {
    if (graph.at(indices).type.dtype != DType::i32) return;
    const std::string* name = viewed_input(graph, indices);
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
