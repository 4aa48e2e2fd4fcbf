// Copies without slow cases of the C library's memcpy.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace mtfc::runtime {

/// Of at least `size` and at most twice as many bytes: two copies, which may overlap.
template <std::size_t size>
inline void copy_ends(std::byte* to, const std::byte* from, std::size_t bytes) {
  std::byte head[size], tail[size];
  std::memcpy(head, from, size);
  std::memcpy(tail, from + bytes - size, size);
  std::memcpy(to, head, size);
  std::memcpy(to + bytes - size, tail, size);
}

/// Without a call, which takes as long as copying so few bytes.
inline void copy_few_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes >= 16) {
    for (; bytes > 32; to += 16, from += 16, bytes -= 16) std::memcpy(to, from, 16);
    return copy_ends<16>(to, from, bytes);
  }
  if (bytes >= 8) return copy_ends<8>(to, from, bytes);
  if (bytes >= 4) return copy_ends<4>(to, from, bytes);
  for (std::size_t i = 0; i < bytes; ++i) to[i] = from[i];
}

/// As memcpy. From 2 KiB on glibc copies by `rep movsb`, which AMD's Zen 3 does thirty times as
/// slowly where the result lies less than 32 bytes behind the source within a page of 4 KiB
/// (docs/performance.md): then in pieces that are short enough for vectors.
inline void copy_bytes(void* to, const void* from, std::size_t bytes) {
  constexpr std::size_t few = 128, piece = 1024, least = 2048;
  constexpr std::uintptr_t page = 4096, near = 32;
  if (bytes <= few)
    return copy_few_bytes(static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes);
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
