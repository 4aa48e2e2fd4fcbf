#include "backends/variables.h"

#include "ir/text_words.h"

namespace mtfc::backends {

std::vector<runtime::VariableInfo> variables_of(const Module& module) {
  std::vector<runtime::VariableInfo> all;
  for (const ModuleVariable& variable : module.variables) {
    const TensorType& type = variable.type.tensor;
    runtime::VariableInfo info{variable.path, std::string(name(variable.kind)), type.dtype, {}, {}};
    for (const DimId dim : type.dims) {
      info.extents.push_back(module.dims.size(dim));
      info.dims.push_back(module.dims.name(dim));
    }
    all.push_back(std::move(info));
  }
  return all;
}

}  // namespace mtfc::backends
