#include "runtime/engine.h"

#include "runtime/files/elements.h"
#include "support/check.h"

namespace mtfc::runtime {

HostTensor HostTensor::zeros(DType dtype, std::vector<std::int64_t> extents) {
  HostTensor tensor{dtype, std::move(extents), {}};
  tensor.data.resize(static_cast<std::size_t>(tensor.elements()) * size_of(dtype));
  return tensor;
}

std::int64_t HostTensor::elements() const {
  std::int64_t product = 1;
  for (const std::int64_t extent : extents) product *= extent;
  return product;
}

double HostTensor::scalar() const {
  MTFC_CHECK(elements() == 1, "a tensor of several elements is not a scalar");
  return element(*this, 0);
}

std::vector<Share> Engine::shares() const {
  std::vector<Share> all;
  for (VariableInfo& variable : variables())
    all.push_back({Block::whole(std::move(variable.extents)), true});
  return all;
}

}  // namespace mtfc::runtime
