// Sums in the results of kernels that add to them here and there: those of f16 and bf16 are f32
// until the end, and rounded once.
#pragma once
#include <cstdint>

#include "kernels/element_loops.h"
#include "kernels/fill_zero.h"
#include "kernels/kernel.h"
#include "kernels/scratch.h"

namespace mtfc::runtime {

class WideSums {
 public:
  /// Of `elements` in each call's first output.
  WideSums(DType dtype, std::int64_t elements, const Call* calls)
      : dtype_(dtype), elements_(elements), calls_(calls) {}

  bool is_wide() const { return is_half(dtype_); }
  /// Bytes of an element until it is rounded.
  std::int64_t size() const { return bytes_of(repr_of(dtype_)); }
  /// Where a call's sums are.
  char* of(std::int64_t call) const {
    return is_wide() ? sums_ + call * elements_ * size()
                     : static_cast<char*>(calls_[call].outputs[0]);
  }

  /// Zeros.
  void begin(Pool& pool, int count) {
    thread_local Scratch memory;
    if (is_wide()) sums_ = memory.take(static_cast<std::size_t>(elements_ * size() * count));
    clear(pool, elements_ * size(), count,
          [this](std::int64_t call) { return static_cast<void*>(of(call)); });
  }
  void finish(Pool& pool, int count) const {
    if (!is_wide()) return;
    pool.run(count, [this](std::int64_t call) {
      blocks().stores[static_cast<int>(dtype_)](calls_[call].outputs[0], of(call), elements_);
    });
  }

 private:
  DType dtype_;
  std::int64_t elements_;
  const Call* calls_;
  char* sums_ = nullptr;
};

}  // namespace mtfc::runtime
