#include "runtime/emitted/module.h"

namespace mtfc::runtime {

std::int64_t EmittedTensor::shard_bytes() const {
  auto bytes = static_cast<std::int64_t>(size_of(dtype));
  for (std::int64_t extent : shard_extents) bytes *= extent;
  return bytes;
}

std::int64_t EmittedModule::processors() const {
  std::int64_t product = 1;
  for (const EmittedAxis& axis : mesh) product *= axis.size;
  return product;
}

}  // namespace mtfc::runtime
