// Copies without a slow case of glibc's memcpy.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace mtfc::runtime {

/// As memcpy. From 2 KiB on glibc copies by `rep movsb`, which AMD's Zen 3 does thirty times as
/// slowly where the result lies less than 32 bytes behind the source within a page of 4 KiB
/// (docs/performance.md): then in pieces that are short enough for vectors.
inline void copy_bytes(void* to, const void* from, std::size_t bytes) {
  constexpr std::size_t piece = 1024, least = 2048;
  constexpr std::uintptr_t page = 4096, near = 32;
  const std::uintptr_t behind =
      (reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from)) % page;
  if (bytes < least || behind == 0 || behind >= near) {
    std::memcpy(to, from, bytes);
    return;
  }
  auto* y = static_cast<std::byte*>(to);
  const auto* x = static_cast<const std::byte*>(from);
  for (; bytes > 0; y += piece, x += piece, bytes -= std::min(bytes, piece))
    std::memcpy(y, x, std::min(bytes, piece));
}

}  // namespace mtfc::runtime
