#include "layout/named_tensors.h"

#include <algorithm>
#include <unordered_set>

#include "ir/scope_finder.h"
#include "layout/assign.h"
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

namespace {

bool is_split(const DimList& dims, const Sharding& sharding, DimId dim) {
  for (std::size_t i = 0; i < dims.size(); ++i)
    if (dims[i] == dim && !sharding.split[i].empty()) return true;
  return false;
}

}  // namespace

std::vector<std::string> tensors_split_along(const Model& model, const Assignment& assignment,
                                             DimId dim) {
  std::unordered_set<std::string_view> split;
  ScopeFinder finder(assignment);
  for (const Graph* graph : {&model.train, &model.eval})
    for (const Value& value : graph->values) {
      const DimList& dims = value.type.dims;
      if (value.name.empty() || !contains(dims, dim) || !value.producer.valid()) continue;
      const std::vector<int> scopes = finder.of(*graph, graph->at(value.producer));
      if (is_split(dims, sharding_of(dims, assignment, scopes), dim)) split.insert(value.name);
    }
  for (const Variable& v : model.variables)
    if (is_split(v.type.dims, sharding_of(v.path, v.type.dims, assignment), dim))
      split.insert(v.path);
  for (const Input& input : model.inputs)
    if (is_split(input.type.dims, sharding_of(input.type.dims, assignment), dim))
      split.insert(input.name);
  std::vector<std::string> names;
  for (const NamedTensor& tensor : named_tensors(model))
    if (split.contains(tensor.name)) names.emplace_back(tensor.name);
  return names;
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
