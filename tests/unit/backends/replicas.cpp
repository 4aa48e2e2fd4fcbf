// What counts as the same when every processor's shard is compared.
#include "backends/execute/replicas.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

namespace {
using mtfc::DType;

template <class Bits>
bool same(DType dtype, std::vector<Bits> a, std::vector<Bits> b) {
  return mtfc::backends::same_values(dtype, reinterpret_cast<const std::byte*>(a.data()),
                                     reinterpret_cast<const std::byte*>(b.data()), a.size());
}
constexpr std::uint32_t one = 0x3F800000, quiet_nan = 0x7FC00000, minus_nan = 0xFFC00000,
                        another_nan = 0x7FC00001, infinite = 0x7F800000, minus_zero = 0x80000000;
}  // namespace

TEST_CASE("replicas that are not a number are the same whatever their sign and payload") {
  CHECK(same<std::uint32_t>(DType::f32, {one, quiet_nan}, {one, minus_nan}));
  CHECK(same<std::uint32_t>(DType::f32, {one, quiet_nan}, {one, another_nan}));
  CHECK(same<std::uint64_t>(DType::f64, {0x7FF8000000000000}, {0xFFF8000000000001}));
  CHECK(same<std::uint16_t>(DType::bf16, {0x7FC0}, {0xFFC1}));
  CHECK(same<std::uint16_t>(DType::f16, {0x7E00}, {0xFE01}));
}

TEST_CASE("all other replicas are the same when their bits are") {
  CHECK(same<std::uint32_t>(DType::f32, {one, minus_zero}, {one, minus_zero}));
  CHECK_FALSE(same<std::uint32_t>(DType::f32, {one, 0}, {one, minus_zero}));
  CHECK_FALSE(same<std::uint32_t>(DType::f32, {quiet_nan, one}, {quiet_nan, one + 1}));
  CHECK_FALSE(same<std::uint32_t>(DType::f32, {quiet_nan, quiet_nan}, {minus_nan, infinite}));
  CHECK_FALSE(same<std::uint32_t>(DType::i32, {quiet_nan}, {minus_nan}));
  CHECK_FALSE(same<std::uint16_t>(DType::f16, {0x7E00}, {0x7C00}));
  CHECK_FALSE(same<std::uint16_t>(DType::bf16, {0x3F80}, {0x7FC0}));
  CHECK_FALSE(same<std::uint64_t>(DType::f64, {0x3FF0000000000000}, {0x3FF0000000000001}));
  CHECK_FALSE(same<std::uint8_t>(DType::boolean, {0}, {1}));
}
