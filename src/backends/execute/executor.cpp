#include "backends/execute/executor.h"

#include "bind/sharded_tensor.h"
#include "ir/text_words.h"
#include "support/check.h"

namespace mtfc::backends {

Executable& Executor::executable(std::string_view name) {
  if (const auto found = executables_.find(name); found != executables_.end()) {
    if (found->second.has_memory()) return found->second;
    executables_.erase(found);
  }
  const Program* program = module().find(name);
  MTFC_CHECK(program, "no program " + std::string(name));
  return executables_.try_emplace(program->name, memory_, *program).first->second;
}

void Executor::prepare() {
  for (const Program& program : module().programs) executable(program.name);
}

void Executor::give_back_memory() {
  executables_.clear();  // they know addresses in it
  memory_.give_back();
}

runtime::Counters Executor::counters(std::string_view program) const {
  const auto found = executables_.find(program);
  return found == executables_.end() ? runtime::Counters{} : found->second.counters();
}

std::vector<runtime::VariableInfo> variables_of(const Module& module) {
  std::vector<runtime::VariableInfo> all;
  for (const ModuleVariable& variable : module.variables) {
    const TensorType& type = variable.type.tensor;
    runtime::VariableInfo info{variable.path,
                               std::string(name(variable.kind)),
                               type.dtype,
                               bind::stored_extents(module.dims, type),
                               {}};
    for (const DimId dim : stored_dims(module.dims, type.dims))
      info.dims.push_back(module.dims.name(dim));
    all.push_back(std::move(info));
  }
  return all;
}

}  // namespace mtfc::backends
