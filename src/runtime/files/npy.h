// NumPy's .npy form: one array, with its type and shape.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/engine.h"
#include "runtime/files/read_file.h"

namespace mtfc::runtime {

/// An array as a file has it, brought into row-major order and this machine's byte order.
struct NpyArray {
  char kind = 'f';  // f, i, u, b, or U (strings of 4-byte characters)
  std::int64_t item_size = 4;
  std::vector<std::int64_t> extents;
  Bytes data;

  std::int64_t elements() const;
  /// Numbers only.
  double at(std::int64_t index) const;
};

/// `name` is for messages. Anything may be in `bytes`.
Result<NpyArray> parse_npy(std::span<const std::byte> bytes, const std::string& name);

/// Floats of 4, 8 and 2 bytes keep their type, bools are bool, all whole numbers become i32 (an
/// error if one does not fit).
Result<HostTensor> to_tensor(const NpyArray& array, const std::string& name);
/// The elements of a one-dimensional array of strings.
Result<std::vector<std::string>> to_strings(const NpyArray& array, const std::string& name);

/// A whole .npy file: bf16 is widened to f32.
Bytes npy_bytes(const HostTensor& tensor);
/// A one-dimensional array of strings (ASCII).
Bytes npy_bytes(const std::vector<std::string>& strings);

}  // namespace mtfc::runtime
