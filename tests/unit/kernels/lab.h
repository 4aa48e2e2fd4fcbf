// Helpers of the kernels' tests: typed arrays, reference loops, thread counts.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "kernels/combine.h"
#include "kernels/element_loops.h"
#include "kernels/kernels.h"
#include "kernels/pool.h"
#include "support/strides.h"

namespace mtfc::runtime::lab {

inline const std::vector<DType> kAllDTypes = {DType::f32,  DType::f64, DType::f16,
                                              DType::bf16, DType::i32, DType::boolean};

/// An array of one type, read and written as doubles.
class Array {
 public:
  Array() = default;
  Array(DType dtype, std::int64_t size)
      : dtype_(dtype), size_(size), bytes_(static_cast<std::size_t>(size * bytes_of(dtype))) {}
  Array(DType dtype, const std::vector<double>& values)
      : Array(dtype, static_cast<std::int64_t>(values.size())) {
    for (std::int64_t i = 0; i < size_; ++i) set(i, values[static_cast<std::size_t>(i)]);
  }
  void* data() { return bytes_.data(); }
  const void* data() const { return bytes_.data(); }
  std::int64_t size() const { return size_; }
  double at(std::int64_t i) const {
    double in_block = 0, wide = 0;
    blocks().loads[number(dtype_)](&in_block, bytes_.data() + i * bytes_of(dtype_), 1, 0, 1, 1);
    blocks().casts[number(DType::f64)][static_cast<int>(repr_of(dtype_))](&wide, &in_block, 1);
    return wide;
  }
  void set(std::int64_t i, double value) {
    double cast = 0;
    blocks().casts[number(dtype_)][static_cast<int>(Repr::f64)](&cast, &value, 1);
    blocks().stores[number(dtype_)](bytes_.data() + i * bytes_of(dtype_), &cast, 1);
  }
  /// What follows the first `period` elements are these, again and again.
  void repeat(std::int64_t period) {
    for (std::int64_t i = period; i < size_; i += period)
      copy(i, *this, i - period, std::min(period, size_ - i));
  }
  /// Elements of another array of the type, bit by bit.
  void copy(std::int64_t i, const Array& from, std::int64_t at, std::int64_t count = 1) {
    const auto size = static_cast<std::size_t>(bytes_of(dtype_));
    std::memcpy(bytes_.data() + static_cast<std::size_t>(i) * size,
                from.bytes_.data() + static_cast<std::size_t>(at) * size,
                static_cast<std::size_t>(count) * size);
  }
  friend bool operator==(const Array&, const Array&) = default;

 private:
  static int number(DType dtype) { return static_cast<int>(dtype); }
  DType dtype_{};
  std::int64_t size_ = 0;
  std::vector<unsigned char> bytes_;
};

constexpr std::int64_t kPeriod = 65521;

inline std::mt19937& engine() {
  static std::mt19937 made(20240607);
  return made;
}
inline std::int64_t pick(std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(engine());
}
/// Small integers: sums of them are exact in every type. Long arrays repeat after a prime number.
inline Array small_integers(DType dtype, std::int64_t size) {
  Array array(dtype, size);
  const bool boolean = dtype == DType::boolean;
  for (std::int64_t i = 0; i < std::min(size, kPeriod); ++i) {
    array.set(i, static_cast<double>(boolean ? pick(0, 1) : pick(-3, 3)));
  }
  array.repeat(kPeriod);
  return array;
}
inline Array reals(DType dtype, std::int64_t size, double low = -2, double high = 2) {
  Array array(dtype, size);
  std::uniform_real_distribution<double> distribution(low, high);
  for (std::int64_t i = 0; i < size; ++i) array.set(i, distribution(engine()));
  return array;
}

/// Pools of 1, 2, 3 and 5 threads: all must give the same bits.
inline std::vector<Pool*> pools() {
  static Pool one(1), two(2), three(3), five(5);
  return {&one, &two, &three, &five};
}

inline std::int64_t volume(const std::vector<std::int64_t>& extents) {
  std::int64_t size = 1;
  for (const std::int64_t extent : extents) size *= extent;
  return size;
}

/// Calls f(place) for every place of the space, row-major.
template <class F>
void for_each_place(const std::vector<std::int64_t>& extents, F f) {
  if (volume(extents) == 0) return;
  std::vector<std::int64_t> place(extents.size(), 0);
  while (true) {
    f(static_cast<const std::vector<std::int64_t>&>(place));
    std::size_t d = extents.size();
    while (d > 0 && ++place[d - 1] == extents[d - 1]) place[--d] = 0;
    if (d == 0) return;
  }
}
inline std::int64_t offset_of(const std::vector<std::int64_t>& place,
                              const std::vector<std::int64_t>& strides) {
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < place.size(); ++d) offset += place[d] * strides[d];
  return offset;
}

/// Strides of a tensor that has some of the dimensions, in a random order; 0 for the others.
inline std::vector<std::int64_t> random_strides(const std::vector<std::int64_t>& extents,
                                                bool all) {
  std::vector<std::size_t> order(extents.size());
  for (std::size_t d = 0; d < order.size(); ++d) order[d] = d;
  if (pick(0, 2) != 0) std::shuffle(order.begin(), order.end(), engine());
  std::vector<std::int64_t> strides(extents.size(), 0);
  std::int64_t stride = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    if (!all && pick(0, 3) == 0) continue;
    strides[order[i]] = stride;
    stride *= std::max<std::int64_t>(extents[order[i]], 1);
  }
  return strides;
}
inline std::int64_t span(const std::vector<std::int64_t>& extents,
                         const std::vector<std::int64_t>& strides) {
  std::int64_t last = 0;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (extents[d] == 0) return 1;
    last += (extents[d] - 1) * strides[d];
  }
  return last + 1;
}
inline std::vector<std::int64_t> random_extents(int most_dims) {
  std::vector<std::int64_t> extents(static_cast<std::size_t>(pick(0, most_dims)));
  for (auto& extent : extents) {
    const std::int64_t kind = pick(0, 9);
    extent = kind == 0 ? 1 : kind == 1 ? pick(20, 200) : pick(1, 9);
  }
  return extents;
}

/// One call with these arrays.
class OneCall {
 public:
  OneCall(std::vector<const void*> inputs, std::vector<void*> outputs,
          std::vector<std::int64_t> coordinates = {})
      : inputs_(std::move(inputs)),
        outputs_(std::move(outputs)),
        coordinates_(std::move(coordinates)) {
    call_ = {inputs_.data(), outputs_.data(), coordinates_.data()};
  }
  OneCall(const OneCall&) = delete;
  const Call* get() const { return &call_; }

 private:
  std::vector<const void*> inputs_;
  std::vector<void*> outputs_;
  std::vector<std::int64_t> coordinates_;
  Call call_;
};

}  // namespace mtfc::runtime::lab
