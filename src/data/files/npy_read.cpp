// Reading .npy. The header is the text of a Python dict: {'descr': '<f4', 'fortran_order': False,
// 'shape': (3, 4), }. Nothing in it is trusted.
#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "data/files/npy.h"
#include "support/half_bits.h"
#include "support/strides.h"

namespace mtfc::runtime {
namespace {

Error bad_npy(const std::string& name, const std::string& what) {
  return {"`" + name + "` is not a readable .npy array: " + what, {}, {}};
}

using Header = NpyHeader;

/// What follows `'key':` in the dict, leading blanks skipped.
std::optional<std::string_view> after_key(std::string_view dict, const std::string& key) {
  const std::size_t at = dict.find("'" + key + "'");
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = dict.substr(at + key.size() + 2);
  const std::size_t value = rest.find_first_not_of(" :");
  if (value == std::string_view::npos) return std::nullopt;
  return rest.substr(value);
}

/// Reads digits off the front; absent if there are none or too many.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t number = 0;
  std::size_t digits = 0;
  for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
    if (digits == 18) return std::nullopt;
    number = number * 10 + (text[digits] - '0');
  }
  text.remove_prefix(digits);
  return digits == 0 ? std::nullopt : std::optional(number);
}

bool read_descr(std::string_view text, Header& header) {
  if (text.size() < 5 || text[0] != '\'') return false;
  const char order = text[1];
  header.kind = text[2];
  text.remove_prefix(3);
  const std::optional<std::int64_t> size = take_number(text);
  if (!size || !text.starts_with('\'') || *size > (1 << 20)) return false;
  header.item_size = header.kind == 'U' ? 4 * *size : *size;
  header.swapped = order == '>' && header.item_size > 1;
  return std::string_view("<>|=").find(order) != std::string_view::npos;
}

bool read_shape(std::string_view text, Header& header) {
  if (!text.starts_with('(')) return false;
  text.remove_prefix(1);
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(" ,"), text.size()));
    if (text.starts_with(')')) return true;
    const std::optional<std::int64_t> extent = take_number(text);
    if (!extent || header.extents.size() == 32) return false;
    header.extents.push_back(*extent);
  }
}

bool supported(const Header& header) {
  const std::int64_t n = header.item_size;
  switch (header.kind) {
    case 'f':
      return n == 2 || n == 4 || n == 8;
    case 'i':
    case 'u':
      return n == 1 || n == 2 || n == 4 || n == 8;
    case 'b':
      return n == 1;
    case 'U':
      return n > 0;
    default:
      return false;
  }
}

/// The dict's text and where the data begins.
std::optional<std::pair<std::string_view, std::size_t>> find_dict(
    std::span<const std::byte> bytes) {
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  if (bytes.size() < 12 || std::memcmp(text, "\x93NUMPY", 6) != 0) return std::nullopt;
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(bytes[i]); };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3) return std::nullopt;
  const std::size_t start = version == 1 ? 10 : 12;
  std::size_t length = byte(8) | byte(9) << 8;
  if (version != 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > bytes.size() - start) return std::nullopt;
  return std::pair(std::string_view(text + start, length), start + length);
}

/// Bytes that the shape asks for; absent if that overflows.
std::optional<std::int64_t> total_bytes(const Header& header) {
  std::int64_t total = header.item_size;
  for (const std::int64_t extent : header.extents)
    if (__builtin_mul_overflow(total, extent, &total)) return std::nullopt;
  return total;
}

/// Column-major to row-major.
Bytes transposed(const Header& header, std::span<const std::byte> from) {
  Bytes to(from.size());
  const auto item = static_cast<std::size_t>(header.item_size);
  std::vector<std::int64_t> index(header.extents.size(), 0);
  for (std::size_t target = 0; target < to.size(); target += item) {
    std::int64_t source = 0;
    for (std::size_t d = index.size(); d-- > 0;) source = source * header.extents[d] + index[d];
    std::memcpy(to.data() + target, from.data() + static_cast<std::size_t>(source) * item, item);
    for (std::size_t d = index.size(); d-- > 0 && ++index[d] == header.extents[d];) index[d] = 0;
  }
  return to;
}

}  // namespace

std::int64_t NpyArray::elements() const { return product(extents); }

double NpyArray::at(std::int64_t index) const {
  return number_at(kind, item_size, data.data() + index * item_size);
}

void swap_bytes(std::span<std::byte> data, std::int64_t unit) {
  for (auto at = data.begin(); at != data.end(); at += unit) std::reverse(at, at + unit);
}

double number_at(char kind, std::int64_t item_size, const std::byte* item) {
  const auto as = [&](auto value) {
    std::memcpy(&value, item, sizeof value);
    return static_cast<double>(value);
  };
  if (kind == 'f' && item_size == 2) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, item, 2);
    return widen_f16(bits);
  }
  if (kind == 'f') return item_size == 4 ? as(float{}) : as(double{});
  const bool is_signed = kind == 'i';
  switch (item_size) {
    case 1:
      return is_signed ? as(std::int8_t{}) : as(std::uint8_t{});
    case 2:
      return is_signed ? as(std::int16_t{}) : as(std::uint16_t{});
    case 4:
      return is_signed ? as(std::int32_t{}) : as(std::uint32_t{});
    default:
      return is_signed ? as(std::int64_t{}) : as(std::uint64_t{});
  }
}

Result<NpyHeader> parse_npy_header(std::span<const std::byte> beginning, std::int64_t size,
                                   const std::string& name) {
  const auto dict = find_dict(beginning);
  if (!dict) return bad_npy(name, "its header is missing or cut off");
  Header header;
  const auto descr = after_key(dict->first, "descr");
  if (!descr || !read_descr(*descr, header) || !supported(header))
    return bad_npy(name, "its element type is not one of f2 f4 f8 i1..i8 u1..u8 b1");
  const auto order = after_key(dict->first, "fortran_order");
  const auto shape = after_key(dict->first, "shape");
  if (!order || !shape || !read_shape(*shape, header))
    return bad_npy(name, "its header is damaged");
  header.fortran = order->starts_with("True");
  header.data = static_cast<std::int64_t>(dict->second);
  const std::optional<std::int64_t> need = total_bytes(header);
  if (!need || *need > size - header.data)
    return bad_npy(name, "its shape asks for more bytes than it has");
  header.data_size = *need;
  return header;
}

Result<NpyArray> parse_npy(std::span<const std::byte> bytes, const std::string& name) {
  const Result<NpyHeader> header =
      parse_npy_header(bytes, static_cast<std::int64_t>(bytes.size()), name);
  if (!header) return header.error();
  const auto used = bytes.subspan(static_cast<std::size_t>(header->data),
                                  static_cast<std::size_t>(header->data_size));
  NpyArray array{header->kind, header->item_size, header->extents, {}};
  array.data = header->fortran && header->extents.size() > 1 ? transposed(*header, used)
                                                             : Bytes(used.begin(), used.end());
  if (header->swapped) swap_bytes(array.data, header->kind == 'U' ? 4 : header->item_size);
  return array;
}

// ---------------------------------------------------------------- what the array holds
namespace {

std::optional<DType> direct_type(const NpyArray& array) {
  if (array.kind == 'b') return DType::boolean;
  if (array.kind == 'i' && array.item_size == 4) return DType::i32;
  if (array.kind != 'f') return std::nullopt;
  return array.item_size == 4 ? DType::f32 : array.item_size == 8 ? DType::f64 : DType::f16;
}

}  // namespace

Result<HostTensor> to_tensor(const NpyArray& array, const std::string& name) {
  if (array.kind == 'U') return bad_npy(name, "it holds text, not numbers");
  if (const std::optional<DType> dtype = direct_type(array))
    return HostTensor{*dtype, array.extents, array.data};
  HostTensor tensor = HostTensor::zeros(DType::i32, array.extents);
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    const double value = array.at(i);
    if (!(value >= std::numeric_limits<std::int32_t>::min() &&
          value <= std::numeric_limits<std::int32_t>::max()))
      return bad_npy(name, "a number in it does not fit 32 bits");
    tensor.as<std::int32_t>()[i] = static_cast<std::int32_t>(value);
  }
  return tensor;
}

Result<std::vector<std::string>> to_strings(const NpyArray& array, const std::string& name) {
  if (array.kind != 'U' || array.extents.size() != 1)
    return bad_npy(name, "it is not a list of strings");
  std::vector<std::string> strings;
  for (std::int64_t i = 0; i < array.elements(); ++i) {
    std::string& text = strings.emplace_back();
    for (std::int64_t c = 0; c < array.item_size; c += 4) {
      const auto byte =
          static_cast<char>(array.data[static_cast<std::size_t>(i * array.item_size + c)]);
      if (byte != 0) text += byte;
    }
  }
  return strings;
}

}  // namespace mtfc::runtime
