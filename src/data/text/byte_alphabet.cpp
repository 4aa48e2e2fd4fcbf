#include "data/text/byte_alphabet.h"

#include <array>

#include "support/utf8.h"

namespace mtfc::runtime {
namespace {

constexpr bool stands_for_itself(unsigned byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

/// The code point of each byte.
constexpr std::array<unsigned, 256> make_code_points() {
  std::array<unsigned, 256> points{};
  unsigned next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte)
    points[byte] = stands_for_itself(byte) ? byte : next++;
  return points;
}

constexpr auto code_points = make_code_points();
constexpr unsigned last = 0x143;
static_assert(code_points[0xAD] == last);

constexpr std::array<int, last + 1> make_bytes() {
  std::array<int, last + 1> bytes{};
  for (int& byte : bytes) byte = -1;
  for (unsigned byte = 0; byte < 256; ++byte) bytes[code_points[byte]] = static_cast<int>(byte);
  return bytes;
}

constexpr auto bytes_of_points = make_bytes();

}  // namespace

std::string to_byte_alphabet(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const unsigned point = code_points[static_cast<unsigned char>(c)];
    if (point < 0x80) {
      text += static_cast<char>(point);
    } else {
      text += static_cast<char>(0xC0 | point >> 6);
      text += static_cast<char>(0x80 | (point & 0x3F));
    }
  }
  return text;
}

std::optional<std::string> from_byte_alphabet(std::string_view text) {
  std::string bytes;
  while (!text.empty()) {
    const CodePoint next = decode_utf8(text, 0);
    if (!next.valid || next.value > last || bytes_of_points[next.value] < 0) return std::nullopt;
    bytes += static_cast<char>(bytes_of_points[next.value]);
    text.remove_prefix(next.bytes);
  }
  return bytes;
}

}  // namespace mtfc::runtime
