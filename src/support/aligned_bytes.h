// Memory of a fixed size that begins on a cache line.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

namespace mtfc {

class AlignedBytes {
 public:
  static constexpr std::int64_t kAlignment = 64;

  AlignedBytes() = default;
  /// Throws std::bad_alloc. What is in it is undefined.
  explicit AlignedBytes(std::int64_t size);
  /// All zeros.
  static AlignedBytes zeros(std::int64_t size);

  std::byte* data() const { return data_.get(); }
  std::int64_t size() const { return size_; }

 private:
  struct Free {
    void operator()(std::byte* data) const;
  };
  std::unique_ptr<std::byte[], Free> data_;
  std::int64_t size_ = 0;
};

/// The next multiple of the alignment.
constexpr std::int64_t aligned(std::int64_t bytes) {
  return (bytes + AlignedBytes::kAlignment - 1) / AlignedBytes::kAlignment *
         AlignedBytes::kAlignment;
}

}  // namespace mtfc
