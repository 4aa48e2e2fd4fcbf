#include "backends/execute/module_engine.h"

#include "ir/text_words.h"
#include "support/check.h"

namespace mtfc::backends {

std::vector<runtime::VariableInfo> ModuleEngine::variables() const {
  std::vector<runtime::VariableInfo> all;
  for (const ModuleVariable& variable : module_.variables) {
    const TensorType& type = variable.type.tensor;
    runtime::VariableInfo info{variable.path, std::string(name(variable.kind)), type.dtype, {}, {}};
    for (const DimId dim : stored_dims(module_.dims, type.dims)) {
      info.extents.push_back(module_.dims.size(dim));
      info.dims.push_back(module_.dims.name(dim));
    }
    all.push_back(std::move(info));
  }
  return all;
}

std::size_t ModuleEngine::number(std::string_view path) const {
  for (std::size_t i = 0; i < module_.variables.size(); ++i)
    if (module_.variables[i].path == path) return i;
  MTFC_CHECK(false, "no variable " + std::string(path));
}

const Program& ModuleEngine::program(std::string_view name) const {
  const Program* program = module_.find(name);
  MTFC_CHECK(program, "no program " + std::string(name));
  return *program;
}

}  // namespace mtfc::backends
