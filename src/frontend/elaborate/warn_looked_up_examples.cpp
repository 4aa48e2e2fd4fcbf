#include "frontend/elaborate/warn_looked_up_examples.h"

#include <algorithm>
#include <set>

#include "ops/inputs.h"
#include "ops/op.h"
#include "sources/source_table.h"

namespace mtfc::elab {
namespace {

/// The input from files whose examples the dimension numbers; null: there is none.
const Input* input_of_examples(const Model& model, DimId dim) {
  const auto from_files = [&](const Input& input) {
    return std::any_of(model.sources.begin(), model.sources.end(), [&](const DataSource& source) {
      return source.name == input.source && opens_files(source);
    });
  };
  for (const Input& input : model.inputs)
    if (!input.type.dims.empty() && input.type.dims.front() == dim && from_files(input))
      return &input;
  return nullptr;
}

}  // namespace

void warn_looked_up_examples(Session& session) {
  const Model& model = session.model;
  std::set<std::pair<std::string, std::int32_t>> reported;
  for (const Operation& op : model.train.ops) {
    const auto& indices = ops::op_of(op).indices;
    if (!indices) continue;
    for (const ops::IndexOperand& index : indices(op)) {
      const std::string* ids = ops::viewed_input(model.train, op.operands[index.operand]);
      const Input* examples = ids == nullptr ? nullptr : input_of_examples(model, index.dim);
      if (examples == nullptr || !reported.emplace(*ids, index.dim.index).second) continue;
      const std::string& dim = model.dims[index.dim].name;
      session.diagnostics.report(
          diag(DiagKind::looked_up_examples,
               "`" + *ids + "` looks up examples of `" + examples->source + "` along `" + dim + "`")
              .at(op.origin.span, "training permutes these in every epoch")
              .also(examples->declared, "`" + dim + "` numbers its examples")
              .help("if they are one whole, as the nodes of a graph, store them as one example: an "
                    "array with a first dimension of 1"));
    }
  }
}

}  // namespace mtfc::elab
