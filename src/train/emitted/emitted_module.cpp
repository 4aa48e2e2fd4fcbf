#include "train/emitted/emitted_module.h"

namespace mtfc::runtime {

std::int64_t EmittedModule::processors() const {
  std::int64_t product = 1;
  for (const EmittedAxis& axis : mesh) product *= axis.size;
  return product;
}

VariableInfo info_of(const EmittedVariable& variable) {
  const net::ShardedTensor& tensor = variable.form->tensor;
  return {variable.path, variable.kind, tensor.dtype, tensor.stored_extents, variable.form->dims};
}

}  // namespace mtfc::runtime
