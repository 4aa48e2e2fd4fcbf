#include "train/emitted/emitted_module.h"

namespace mtfc::runtime {

std::int64_t EmittedModule::processors() const {
  std::int64_t product = 1;
  for (const EmittedAxis& axis : mesh) product *= axis.size;
  return product;
}

}  // namespace mtfc::runtime
