#include "support/aligned_bytes.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace mtfc {

AlignedBytes::AlignedBytes(std::int64_t size) : size_(size) {
  const std::int64_t room = std::max(aligned(size), kAlignment);
  void* data = std::aligned_alloc(kAlignment, static_cast<std::size_t>(room));
  if (data == nullptr) throw std::bad_alloc();
  data_.reset(static_cast<std::byte*>(data));
}

AlignedBytes AlignedBytes::zeros(std::int64_t size) {
  AlignedBytes made(size);
  std::memset(made.data(), 0, static_cast<std::size_t>(size));
  return made;
}

void AlignedBytes::Free::operator()(std::byte* data) const { std::free(data); }

}  // namespace mtfc
