// Where the dimensions of a model occur: what diagnostics about layouts name.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "ir/layout.h"
#include "ir/model.h"

namespace mtfc::lowering {

/// Something of the model that users know by name and that lies on the mesh.
struct NamedTensor {
  enum class Kind { variable, input, value };
  Kind kind{};
  std::string_view name;
  const TensorType* type = nullptr;
  Span shape;  // where its dimensions are best seen
};

/// Variables, then inputs, then the named values of the step and of the evaluation; each name once.
std::vector<NamedTensor> named_tensors(const Model& model);

/// By DimId: whether any tensor of the model has the dimension.
std::vector<bool> used_dims(const Model& model);

/// The names of those of which the dimension is split, wherever scopes do not take that back.
std::vector<std::string> tensors_split_along(const Model& model, const Assignment& assignment,
                                             DimId dim);

/// "`wq`, `wk`, `wv` and 8 more".
std::string list_names(const std::vector<std::string>& names, std::size_t shown);

}  // namespace mtfc::lowering
