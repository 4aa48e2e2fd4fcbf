// Tensors in the memory of the host, in global form: what goes to and comes from programs.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "support/block.h"
#include "support/dtype.h"

namespace mtfc::runtime {

/// A whole tensor in host memory, dense, row-major.
struct HostTensor {
  DType dtype = DType::f32;
  std::vector<std::int64_t> extents;
  std::vector<std::byte> data;

  static HostTensor zeros(DType dtype, std::vector<std::int64_t> extents);
  std::int64_t elements() const;
  template <class T>
  T* as() {
    return reinterpret_cast<T*>(data.data());
  }
  template <class T>
  const T* as() const {
    return reinterpret_cast<const T*>(data.data());
  }
  /// A scalar's value, whatever its type.
  double scalar() const;
};

/// Elements as numbers, whatever their type. For reports and files, not for speed.
double element(const HostTensor& tensor, std::int64_t at);
/// Rounded to the tensor's type (i32: toward zero).
void set_element(HostTensor& tensor, std::int64_t at, double value);

/// A copy in another type, each element rounded.
HostTensor converted(const HostTensor& tensor, DType to);

/// What both have: the same tensor if the extents are equal; less of it, or with zeros at the end
/// of dimensions. As many dimensions.
HostTensor fitted(HostTensor tensor, const std::vector<std::int64_t>& extents);

/// A block of it.
HostTensor cut(const HostTensor& whole, const Block& block);
/// A block becomes `part`.
void paste(const HostTensor& part, const Block& block, HostTensor& whole);

/// The same as `fitted`, of a tensor that outlives it: no copy where nothing changes.
class PaddedTo {
 public:
  PaddedTo(const HostTensor& tensor, const std::vector<std::int64_t>& extents) : tensor_(&tensor) {
    if (tensor.extents == extents) return;
    changed_ = fitted(tensor, extents);
    tensor_ = &changed_;
  }
  PaddedTo(const PaddedTo&) = delete;
  PaddedTo& operator=(const PaddedTo&) = delete;
  const HostTensor* operator->() const { return tensor_; }

 private:
  const HostTensor* tensor_;
  HostTensor changed_;
};

/// By input name, and "step", "examples" (i32 scalars) where a program feeds on them. An input's
/// tensor is whole, or the part of it that Engine::input_part names.
using Feeds = std::map<std::string, HostTensor, std::less<>>;
void set_scalar(Feeds& feeds, const std::string& name, std::int64_t value);  // i32

}  // namespace mtfc::runtime
