#include "support/host_tensor.h"

#include <algorithm>
#include <cstring>

#include "support/check.h"
#include "support/half_bits.h"
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
  paste(cut(tensor, both), both, result);
  return result;
}

HostTensor cut(const HostTensor& whole, const Block& block) {
  HostTensor part = HostTensor::zeros(whole.dtype, block.extents);
  const std::size_t size = size_of(whole.dtype);
  for_each_run(whole.extents, block, [&](std::int64_t from, std::int64_t to, std::int64_t count) {
    std::memcpy(part.data.data() + static_cast<std::size_t>(to) * size,
                whole.data.data() + static_cast<std::size_t>(from) * size,
                static_cast<std::size_t>(count) * size);
  });
  return part;
}

void paste(const HostTensor& part, const Block& block, HostTensor& whole) {
  const std::size_t size = size_of(part.dtype);
  for_each_run(whole.extents, block, [&](std::int64_t to, std::int64_t from, std::int64_t count) {
    std::memcpy(whole.data.data() + static_cast<std::size_t>(to) * size,
                part.data.data() + static_cast<std::size_t>(from) * size,
                static_cast<std::size_t>(count) * size);
  });
}

std::int64_t HostTensor::elements() const { return product(extents); }

double element(const HostTensor& tensor, std::int64_t at) {
  switch (tensor.dtype) {
    case DType::f32:
      return tensor.as<float>()[at];
    case DType::f64:
      return tensor.as<double>()[at];
    case DType::f16:
      return widen_f16(tensor.as<std::uint16_t>()[at]);
    case DType::bf16:
      return widen_bf16(tensor.as<std::uint16_t>()[at]);
    case DType::i32:
      return tensor.as<std::int32_t>()[at];
    case DType::boolean:
      return tensor.as<std::uint8_t>()[at] != 0 ? 1 : 0;
  }
  return 0;
}

void set_element(HostTensor& tensor, std::int64_t at, double value) {
  switch (tensor.dtype) {
    case DType::f32:
      tensor.as<float>()[at] = static_cast<float>(value);
      break;
    case DType::f64:
      tensor.as<double>()[at] = value;
      break;
    case DType::f16:
      tensor.as<std::uint16_t>()[at] = narrow_f16(static_cast<float>(value));
      break;
    case DType::bf16:
      tensor.as<std::uint16_t>()[at] = narrow_bf16(static_cast<float>(value));
      break;
    case DType::i32:
      tensor.as<std::int32_t>()[at] = static_cast<std::int32_t>(value);
      break;
    case DType::boolean:
      tensor.as<std::uint8_t>()[at] = value != 0;
      break;
  }
}

double HostTensor::scalar() const {
  MTFC_CHECK(elements() == 1, "a tensor of several elements is not a scalar");
  return element(*this, 0);
}

HostTensor converted(const HostTensor& tensor, DType to) {
  HostTensor result = HostTensor::zeros(to, tensor.extents);
  for (std::int64_t i = 0; i < result.elements(); ++i) set_element(result, i, element(tensor, i));
  return result;
}

void set_scalar(Feeds& feeds, const std::string& name, std::int64_t value) {
  HostTensor& scalar = feeds[name];
  if (scalar.data.empty()) scalar = HostTensor::zeros(DType::i32, {});
  *scalar.as<std::int32_t>() = static_cast<std::int32_t>(value);
}

}  // namespace mtfc::runtime
