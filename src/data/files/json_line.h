// One JSON object on one line, built field by field: for logs. No library, since emitted programs
// carry this along.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace mtfc::runtime {

/// The shortest decimal that reads back to the same float or double. Finite values only.
std::string shortest(float value);
std::string shortest(double value);
/// `text` in quotes, with JSON's escapes.
std::string json_quoted(std::string_view text);

class JsonLine {
 public:
  JsonLine& field(std::string_view key, std::int64_t value);
  /// Not finite: null, and the finished object says "not_finite": true.
  JsonLine& field(std::string_view key, float value);
  JsonLine& field(std::string_view key, double value);
  JsonLine& field(std::string_view key, std::string_view value);
  JsonLine& field(std::string_view key, const JsonLine& object);
  bool empty() const { return body_.empty(); }
  std::string text() const;

 private:
  JsonLine& raw(std::string_view key, std::string_view value);
  std::string body_;
  bool not_finite_ = false;
};

}  // namespace mtfc::runtime
