// Element types of tensors.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mtfc {

enum class DType : std::uint8_t { f32, f64, f16, bf16, i32, boolean };

/// The name in source and dumps: "f32", "f64", "f16", "bf16", "int", "bool".
std::string_view name(DType dtype);
std::optional<DType> dtype_named(std::string_view name);
std::vector<std::string> dtype_names();
/// Bytes of one element: 4, 8, 2, 2, 4, 1.
std::size_t size_of(DType dtype);
/// f16 and bf16: computed with in f32.
constexpr bool is_half(DType d) { return d == DType::f16 || d == DType::bf16; }
constexpr bool is_float(DType d) { return d != DType::i32 && d != DType::boolean; }
/// The largest finite number of a float type.
double largest(DType dtype);
/// Of two float types the one that has the values of both; absent for bf16 with f16.
std::optional<DType> wider(DType a, DType b);

}  // namespace mtfc
