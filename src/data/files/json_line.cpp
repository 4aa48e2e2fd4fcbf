#include "data/files/json_line.h"

#include <charconv>
#include <cmath>

namespace mtfc::runtime {
namespace {

template <class Float>
std::string shortest_of(Float value) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value);
  return std::string(buffer, end.ptr);
}

}  // namespace

std::string shortest(float value) { return shortest_of(value); }
std::string shortest(double value) { return shortest_of(value); }

std::string json_quoted(std::string_view text) {
  constexpr std::string_view hex = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) {
      quoted += c;
    } else {
      quoted += "\\u00";
      quoted += hex[static_cast<unsigned char>(c) >> 4];
      quoted += hex[static_cast<unsigned char>(c) & 15];
    }
  }
  return quoted + '"';
}

JsonLine& JsonLine::raw(std::string_view key, std::string_view value) {
  if (!body_.empty()) body_ += ',';
  body_ += json_quoted(key);
  body_ += ':';
  body_ += value;
  return *this;
}

JsonLine& JsonLine::field(std::string_view key, std::int64_t value) {
  return raw(key, std::to_string(value));
}
JsonLine& JsonLine::field(std::string_view key, float value) {
  if (std::isfinite(value)) return raw(key, shortest(value));
  not_finite_ = true;
  return raw(key, "null");
}
JsonLine& JsonLine::field(std::string_view key, double value) {
  if (std::isfinite(value)) return raw(key, shortest(value));
  not_finite_ = true;
  return raw(key, "null");
}
JsonLine& JsonLine::field(std::string_view key, std::string_view value) {
  return raw(key, json_quoted(value));
}
JsonLine& JsonLine::field(std::string_view key, const JsonLine& object) {
  not_finite_ = not_finite_ || object.not_finite_;
  return raw(key, "{" + object.body_ + "}");
}

std::string JsonLine::text() const {
  return "{" + body_ + (not_finite_ ? ",\"not_finite\":true}" : "}");
}

}  // namespace mtfc::runtime
