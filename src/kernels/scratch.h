// Memory that a thread keeps between kernels: grown at first use, never given back.
#pragma once
#include "support/aligned_bytes.h"

namespace mtfc::runtime {

class Scratch {
 public:
  /// At least `bytes` bytes on a cache line boundary; what was there before is lost if it grows.
  char* take(std::size_t bytes) {
    if (bytes > static_cast<std::size_t>(memory_.size())) {
      memory_ = {};
      memory_ = AlignedBytes(static_cast<std::int64_t>((bytes + 4095) / 4096 * 4096));
    }
    return reinterpret_cast<char*>(memory_.data());
  }

 private:
  AlignedBytes memory_;
};

}  // namespace mtfc::runtime
