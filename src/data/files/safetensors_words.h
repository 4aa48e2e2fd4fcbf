// What writer and reader of safetensors share.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "support/dtype.h"
#include "support/program_names.h"

namespace mtfc::runtime::safetensors {

constexpr std::string_view metadata_key = owner_names::notes;
constexpr std::string_view header_sum_key = "crc32", tensor_sums_key = "crc32.tensors";
constexpr std::size_t length_size = 8, sum_digits = 8;
/// The form's own limit.
constexpr std::uint64_t largest_header = 100'000'000;

/// Eight lower-case hexadecimal digits.
std::string digits_of(std::uint32_t sum);

/// Every element type of the form; those without a DType can be named but not read.
struct Word {
  std::string_view word;
  std::uint64_t bytes;
  std::optional<DType> dtype;
};
/// Null if the form has no such type.
const Word* find_word(std::string_view word);

}  // namespace mtfc::runtime::safetensors
