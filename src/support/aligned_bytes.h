// Memory of a fixed size that begins on a cache line.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

#include "support/rounding.h"

namespace mtfc {

class AlignedBytes {
 public:
  static constexpr std::int64_t kAlignment = 64;

  AlignedBytes() = default;
  /// What is in it is undefined. Throws std::bad_alloc, also where all of them together need more
  /// than the machine has: the system would give it, and end the process when it is written to.
  explicit AlignedBytes(std::int64_t size);
  /// All zeros.
  static AlignedBytes zeros(std::int64_t size);
  /// All zeros, which take memory of the machine page by page, where they are first used.
  static AlignedBytes lazy_zeros(std::int64_t size);
  /// The same, where other processes of this machine can map it (support/shareable_memory.h).
  static AlignedBytes shareable(std::int64_t size);
  /// Throws std::bad_alloc where another `bytes` would be more than the machine has.
  static void require(std::int64_t bytes);
  /// So many processes of this machine hold as much as this one. 1 if it is never called.
  static void set_processes_alike(int count);

  std::byte* data() const { return data_.get(); }
  std::int64_t size() const { return size_; }

 private:
  struct Free {
    std::int64_t size;
    enum class From : std::uint8_t { allocator, system, shareable } from;
    void operator()(std::byte* data) const;
  };
  std::unique_ptr<std::byte[], Free> data_;
  std::int64_t size_ = 0;
};

/// The next multiple of the alignment.
constexpr std::int64_t aligned(std::int64_t bytes) {
  return round_up(bytes, AlignedBytes::kAlignment);
}

}  // namespace mtfc
