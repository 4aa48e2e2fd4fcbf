#include "support/json.h"

#include <cmath>

#include "support/text.h"
#include "support/utf8.h"

namespace mtfc {

std::string json(std::string_view text) {
  constexpr std::string_view hex = "0123456789abcdef";
  std::string quoted = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const CodePoint point = byte < 0x80 ? CodePoint{byte, 1, true} : decode_utf8(text, at);
    if (byte == '"' || byte == '\\') quoted += '\\';
    if (!point.valid) {
      quoted += "\xEF\xBF\xBD";
    } else if (byte >= 0x20) {
      quoted += text.substr(at, point.bytes);
    } else {
      quoted += "\\u00";
      quoted += hex[byte >> 4];
      quoted += hex[byte & 15];
    }
    at += point.bytes;
  }
  return quoted + '"';
}

std::string json(bool value) { return value ? "true" : "false"; }
std::string json(float value) { return std::isfinite(value) ? shortest(value) : "null"; }
std::string json(double value) { return std::isfinite(value) ? shortest(value) : "null"; }

std::string json_object(const JsonFields& fields) {
  std::string text = "{";
  for (const auto& [key, value] : fields) {
    if (value == "{}" && key.empty()) continue;
    if (text.size() > 1) text += ',';
    text += key.empty() ? value.substr(1, value.size() - 2) : json(key) + ":" + value;
  }
  return text + "}";
}

std::string json_array(const std::vector<std::string>& items) {
  return "[" + joined(items, ",") + "]";
}

JsonLine& JsonLine::field(std::string_view key, const JsonLine& object) {
  not_finite_ = not_finite_ || object.not_finite_;
  fields_.emplace_back(key, json_object(object.fields_));
  return *this;
}

std::string JsonLine::text() const {
  JsonFields all = fields_;
  if (not_finite_) all.emplace_back("not_finite", "true");
  return json_object(all);
}

}  // namespace mtfc
