// NumPy's .npy form: one array, with its type and shape.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/files/read_file.h"
#include "support/host_tensor.h"

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

/// The number at `item`, of a kind and size as in NpyArray.
double number_at(char kind, std::int64_t item_size, const std::byte* item);
/// Turns the bytes of every `unit` of them around.
void swap_bytes(std::span<std::byte> data, std::int64_t unit);

/// What the header of a .npy file says; its data has no other form than that of NpyArray, but for
/// the order of bytes and elements.
struct NpyHeader {
  char kind = 'f';
  std::int64_t item_size = 0;
  std::vector<std::int64_t> extents;
  bool fortran = false;        // the first index is the fastest
  bool swapped = false;        // the other byte order
  std::int64_t data = 0;       // where the elements begin
  std::int64_t data_size = 0;  // bytes of all elements
};
/// `beginning`: of a file of `size` bytes, enough of them to hold the header.
Result<NpyHeader> parse_npy_header(std::span<const std::byte> beginning, std::int64_t size,
                                   const std::string& name);
/// Enough of the beginning for any header of version 1.
constexpr std::int64_t npy_header_most = 10 + 65535;

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
