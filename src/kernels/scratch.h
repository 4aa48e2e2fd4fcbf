// Memory that a thread keeps between kernels: grown at first use, never given back.
#pragma once
#include <cstddef>
#include <cstdlib>

namespace mtfc::runtime {

class Scratch {
 public:
  Scratch() = default;
  ~Scratch() { std::free(memory_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  /// At least `bytes` bytes on a cache line boundary; what was there before is lost if it grows.
  char* take(std::size_t bytes) {
    if (bytes > size_) {
      std::free(memory_);
      size_ = (bytes + 4095) / 4096 * 4096;
      memory_ = static_cast<char*>(std::aligned_alloc(64, size_));
      if (memory_ == nullptr) std::abort();
    }
    return memory_;
  }

 private:
  char* memory_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace mtfc::runtime
