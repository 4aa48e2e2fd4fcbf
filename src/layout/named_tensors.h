// Where the dimensions of a model occur: what diagnostics about layouts name.
#pragma once
#include <functional>
#include <string>
#include <vector>

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

/// "`wq`, `wk`, `wv` and 8 more".
std::string list_names(const std::vector<std::string>& names, std::size_t shown);

}  // namespace mtfc::lowering
