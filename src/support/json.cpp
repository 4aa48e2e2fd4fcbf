#include "support/json.h"

#include <cmath>

#include "support/text.h"
#include "support/utf8.h"

namespace mtfc {

namespace {

/// Most are.
bool is_plain(char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; }

std::string escaped(char c) {
  constexpr std::string_view hex = "0123456789abcdef";
  switch (c) {
    case '"':
    case '\\':
      return std::string("\\") + c;
    case '\b':
      return "\\b";
    case '\f':
      return "\\f";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      break;
  }
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x20) return std::string(1, c);
  return std::string("\\u00") + hex[byte >> 4] + hex[byte & 15];
}

}  // namespace

std::string json(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : valid_utf8(text)) {
    if (is_plain(c))
      quoted += c;
    else
      quoted += escaped(c);
  }
  return quoted + '"';
}

std::string json(bool value) { return value ? "true" : "false"; }
std::string json(float value) { return std::isfinite(value) ? shortest(value) : "null"; }
std::string json(double value) { return std::isfinite(value) ? shortest(value) : "null"; }

void append(JsonFields& fields, JsonFields more) {
  for (auto& field : more) fields.push_back(std::move(field));
}

std::string json_object(const JsonFields& fields) {
  std::string text = "{";
  for (const auto& [key, value] : fields) {
    const bool put_in = key.empty() && value.starts_with('{');
    if (put_in && value == "{}") continue;
    if (text.size() > 1) text += ',';
    text += put_in ? value.substr(1, value.size() - 2) : json(key) + ":" + value;
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
