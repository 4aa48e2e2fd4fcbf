#include "train/emitted/emitted_module.h"

namespace mtfc::runtime {

VariableInfo info_of(const EmittedVariable& variable) {
  const net::ShardedTensor& tensor = variable.form->tensor;
  return {variable.path, variable.kind, tensor.dtype, tensor.stored_extents, variable.form->dims};
}

}  // namespace mtfc::runtime
