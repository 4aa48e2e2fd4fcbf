#include "support/host_tensor.h"

#include <algorithm>
#include <cstring>

#include "support/check.h"
#include "support/elements.h"
#include "support/strides.h"

namespace mtfc::runtime {

HostTensor HostTensor::zeros(DType dtype, std::vector<std::int64_t> extents) {
  HostTensor tensor{dtype, std::move(extents), {}};
  tensor.data.resize(static_cast<std::size_t>(tensor.elements()) * size_of(dtype));
  return tensor;
}

HostTensor fitted(HostTensor tensor, const std::vector<std::int64_t>& extents) {
  if (tensor.extents == extents) return tensor;
  MTFC_CHECK(tensor.extents.size() == extents.size(), "a tensor of another rank");
  HostTensor result = HostTensor::zeros(tensor.dtype, extents);
  Block both = Block::whole(extents);
  for (std::size_t d = 0; d < extents.size(); ++d)
    both.extents[d] = std::min(extents[d], tensor.extents[d]);
  const std::size_t size = size_of(tensor.dtype);
  std::vector<std::byte> common(static_cast<std::size_t>(both.elements()) * size);
  for_each_run(tensor.extents, both, [&](std::int64_t from, std::int64_t to, std::int64_t count) {
    std::memcpy(common.data() + static_cast<std::size_t>(to) * size,
                tensor.data.data() + static_cast<std::size_t>(from) * size,
                static_cast<std::size_t>(count) * size);
  });
  for_each_run(extents, both, [&](std::int64_t to, std::int64_t from, std::int64_t count) {
    std::memcpy(result.data.data() + static_cast<std::size_t>(to) * size,
                common.data() + static_cast<std::size_t>(from) * size,
                static_cast<std::size_t>(count) * size);
  });
  return result;
}

std::int64_t HostTensor::elements() const { return product(extents); }

double HostTensor::scalar() const {
  MTFC_CHECK(elements() == 1, "a tensor of several elements is not a scalar");
  return element(*this, 0);
}

}  // namespace mtfc::runtime
