// Sets of instructions that kernels are compiled for, and their words in MTFC_ISA.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace mtfc {

enum class Isa : std::uint8_t { baseline, avx2, avx512 };

struct IsaWord {
  std::string_view word;
  Isa isa;
};
inline constexpr IsaWord isa_words[] = {
    {"baseline", Isa::baseline},
    {"sse2", Isa::baseline},  // its name on x86
    {"avx2", Isa::avx2},
    {"avx512", Isa::avx512},
};

constexpr std::string_view name(Isa isa) {
#if defined(__x86_64__)
  constexpr bool is_last = true;
#else
  constexpr bool is_last = false;
#endif
  std::string_view found;
  for (const IsaWord& row : isa_words)
    if (row.isa == isa && (is_last || found.empty())) found = row.word;
  return found;
}
constexpr std::optional<Isa> isa_called(std::string_view word) {
  for (const IsaWord& row : isa_words)
    if (row.word == word) return row.isa;
  return std::nullopt;
}

}  // namespace mtfc
