// NaN and infinity among numbers of every type.
#include "support/not_finite.h"

#include <catch2/catch.hpp>
#include <limits>
#include <vector>

namespace support_not_finite_test {

using namespace mtfc;

namespace {

template <class Element>
NotFinite worst(DType dtype, const std::vector<Element>& elements) {
  return worst_of(dtype, elements.data(), static_cast<std::int64_t>(elements.size()));
}

template <class Float>
void check_float(DType dtype) {
  using Limits = std::numeric_limits<Float>;
  CHECK(worst<Float>(dtype, {}) == NotFinite::none);
  CHECK(worst<Float>(dtype, {0, Limits::max(), -Limits::max(), Limits::denorm_min()}) ==
        NotFinite::none);
  CHECK(worst<Float>(dtype, {1, -Limits::infinity(), 1}) == NotFinite::infinite);
  CHECK(worst<Float>(dtype, {Limits::infinity(), -Limits::quiet_NaN(), Limits::infinity()}) ==
        NotFinite::not_a_number);
}

}  // namespace

TEST_CASE("the worst of numbers is found in every type") {
  check_float<float>(DType::f32);
  check_float<double>(DType::f64);
  // The largest finite number, infinity, and the NaN next to it, by the formats' bits.
  for (const auto& [dtype, infinity] :
       {std::pair(DType::f16, 0x7c00), std::pair(DType::bf16, 0x7f80)}) {
    const auto bits = [&](int value) { return static_cast<std::uint16_t>(value); };
    CHECK(worst<std::uint16_t>(dtype, {0, 1, bits(infinity - 1)}) == NotFinite::none);
    CHECK(worst<std::uint16_t>(dtype, {0, bits(infinity | 0x8000)}) == NotFinite::infinite);
    CHECK(worst<std::uint16_t>(dtype, {bits(infinity), bits(infinity + 1)}) ==
          NotFinite::not_a_number);
  }
  CHECK(worst<std::int32_t>(DType::i32, {0x7f800000, -1}) == NotFinite::none);
  CHECK(worst<std::uint8_t>(DType::boolean, {0, 1}) == NotFinite::none);
}

TEST_CASE("of a block, what lies beside it does not count") {
  // Two by two in memory of two by three, and two by three in memory of three by three.
  const float nan = NAN, infinite = INFINITY;
  const std::vector<float> beside = {1, 2, nan, 3, infinite, nan, nan, nan, nan};
  CHECK(worst_of_block(DType::f32, beside.data(), {2, 3}, {2, 2}) == NotFinite::infinite);
  CHECK(worst_of_block(DType::f32, beside.data(), {3, 3}, {1, 2}) == NotFinite::none);
  CHECK(worst_of_block(DType::f32, beside.data(), {3, 3}, {2, 1}) == NotFinite::none);
  CHECK(worst_of_block(DType::f32, beside.data(), {3, 3}, {2, 3}) == NotFinite::not_a_number);
  CHECK(worst_of_block(DType::f32, beside.data(), {3, 3}, {0, 3}) == NotFinite::none);
  CHECK(worst_of_block(DType::f32, beside.data(), {}, {}) == NotFinite::none);
}

}  // namespace support_not_finite_test
