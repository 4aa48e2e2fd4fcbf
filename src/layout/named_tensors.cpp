#include "layout/named_tensors.h"

#include <algorithm>
#include <unordered_set>

#include "support/text.h"

namespace mtfc::lowering {

std::vector<NamedTensor> named_tensors(const Model& model) {
  std::vector<NamedTensor> found;
  std::unordered_set<std::string_view> seen;
  const auto add = [&](NamedTensor::Kind kind, std::string_view name, const TensorType& type,
                       Span shape) {
    if (!name.empty() && seen.insert(name).second) found.push_back({kind, name, &type, shape});
  };
  for (const Variable& v : model.variables)
    add(NamedTensor::Kind::variable, v.path, v.type,
        v.shape_span.valid() ? v.shape_span : v.declared);
  for (const Input& input : model.inputs)
    add(NamedTensor::Kind::input, input.name, input.type, input.declared);
  for (const Graph* graph : {&model.train, &model.eval})
    for (const Value& value : graph->values) {
      const Span origin = value.producer.valid() ? graph->at(value.producer).origin.span : Span{};
      add(NamedTensor::Kind::value, value.name, value.type, origin);
    }
  return found;
}

std::vector<bool> used_dims(const Model& model) {
  std::vector<bool> used(model.dims.size(), false);
  const auto mark = [&](const TensorType& type) {
    for (DimId dim : type.dims) used[dim.at()] = true;
  };
  for (const Variable& variable : model.variables) mark(variable.type);
  for (const Input& input : model.inputs) mark(input.type);
  for (const Graph* graph : {&model.init, &model.train, &model.eval, &model.microbatch.graph})
    for (const Value& value : graph->values) mark(value.type);
  return used;
}

std::string list_names(const std::vector<std::string>& names, std::size_t shown) {
  // "and 1 more" is no shorter than the name itself.
  if (names.size() <= shown + 1) shown = names.size();
  std::vector<std::string> items;
  for (std::size_t i = 0; i < shown; ++i) items.push_back(backquoted(names[i]));
  if (shown < names.size()) items.push_back(std::to_string(names.size() - shown) + " more");
  return series(items, "and");
}

}  // namespace mtfc::lowering
