// Host-side random numbers for data: functions of (seed, purpose, step, index), never of what was
// drawn before.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

namespace mtfc::runtime {

/// A family of draws. Families of different (seed, purpose) are independent.
class Draws {
 public:
  Draws(std::int64_t seed, std::string_view purpose);
  double uniform(std::int64_t step, std::int64_t index) const;  // in [0, 1)
  float normal(std::int64_t step, std::int64_t index) const;    // mean 0, deviation 1
  std::int64_t integer(std::int64_t step, std::int64_t index, std::int64_t count) const;

 private:
  std::uint64_t key_;
};

}  // namespace mtfc::runtime
