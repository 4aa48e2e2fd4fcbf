#include "layout/other_meaning.h"

#include <algorithm>

#include "layout/block_instances.h"
#include "support/text.h"

namespace mtfc::lowering {
namespace {

std::string tensor_with(const std::string& name, const std::string& what, const TensorType& type,
                        const Model& model) {
  const auto dim_name = [&](DimId dim) -> const auto& { return model.dims[dim].name; };
  return "`" + name + "` is " + what +
         (type.dims.empty() ? " without dimensions"
                            : " with the dimensions " + joined(type.dims, ", ", dim_name)) +
         ": a rule splits a dimension";
}

/// `layers.*` of a `repeat layers`; empty if there is none.
std::string iterations_of(const std::string& name, const Model& model) {
  const std::string segments = "." + name + ".*";
  for (const std::string& path : block_paths(model.train)) {
    const std::size_t at = ("." + path + ".").find(segments + ".");
    if (at != path.npos) return path.substr(0, at + segments.size() - 1);
  }
  return "";
}

}  // namespace

std::string other_meaning(const std::string& name, const Model& model) {
  for (const Variable& v : model.variables)
    if (v.kind == Variable::Kind::parameter && (v.path == name || v.path.ends_with("." + name)))
      return tensor_with(name, "a parameter", v.type, model);
  for (const Input& input : model.inputs)
    if (input.name == name) return tensor_with(name, "an input", input.type, model);
  const std::string iterations = iterations_of(name, model);
  if (iterations.empty()) return "";
  return "`" + name +
         "` counts the iterations of a `repeat`, which are divided among processors by `pipeline "
         "\"" +
         iterations + "\" { stages = 2 }`";
}

}  // namespace mtfc::lowering
