// The checksum of files: CRC-32, as in zlib.
#pragma once
#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace mtfc::runtime {

/// `before`: of what stands in front of them.
inline std::uint32_t crc32_of(std::span<const std::byte> bytes, std::uint32_t before = 0) {
  const auto* data = reinterpret_cast<const Bytef*>(bytes.data());
  return static_cast<std::uint32_t>(::crc32_z(before, data, bytes.size()));
}

}  // namespace mtfc::runtime
