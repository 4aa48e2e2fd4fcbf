// JSON as text, put together from parts that are JSON already. What reads JSON uses a library.
#pragma once
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mtfc {

/// In quotes, with JSON's escapes; what is not UTF-8 becomes U+FFFD.
std::string json(std::string_view text);
/// Without it text in quotes would be taken for a bool.
inline std::string json(const char* text) { return json(std::string_view(text)); }
inline std::string json(const std::string& text) { return json(std::string_view(text)); }
std::string json(bool value);
template <std::integral Integer>
std::string json(Integer value) {
  return std::to_string(value);
}
/// The shortest decimal that reads back. null if it is not finite; the object then needs
/// "not_finite": true as well.
std::string json(float value);
std::string json(double value);

/// Key -> JSON. An object under an empty key has its fields put in here; what else stands there is
/// a value of that name, which data may have.
using JsonFields = std::vector<std::pair<std::string, std::string>>;
std::string json_object(const JsonFields& fields);
void append(JsonFields& fields, JsonFields more);
std::string json_array(const std::vector<std::string>& items);
/// Of texts or numbers, which become JSON.
template <class Items>
std::string json_list(const Items& items) {
  std::vector<std::string> all;
  for (const auto& item : items) all.push_back(json(item));
  return json_array(all);
}
/// Of pairs or a map of texts.
template <class Pairs>
std::string json_texts(const Pairs& pairs) {
  JsonFields fields;
  for (const auto& [key, value] : pairs) fields.emplace_back(key, json(value));
  return json_object(fields);
}

/// One object on one line that says itself whether a number in it is not finite: for logs.
class JsonLine {
 public:
  template <class Value>
  JsonLine& field(std::string_view key, const Value& value) {
    note_finite(value);
    fields_.emplace_back(key, json(value));
    return *this;
  }
  JsonLine& field(std::string_view key, const JsonLine& object);
  bool empty() const { return fields_.empty(); }
  std::string text() const;

 private:
  template <class Value>
  void note_finite(const Value& value) {
    if constexpr (std::floating_point<Value>) not_finite_ = not_finite_ || !(value - value == 0);
  }
  JsonFields fields_;
  bool not_finite_ = false;
};

}  // namespace mtfc
