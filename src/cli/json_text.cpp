#include "cli/json_text.h"

#include <cmath>

#include "data/files/json_line.h"

namespace mtfc::cli {

std::string json(std::string_view text) { return runtime::json_quoted(text); }
std::string json(bool value) { return value ? "true" : "false"; }
std::string json(long value) { return std::to_string(value); }
std::string json(double value) { return std::isfinite(value) ? runtime::shortest(value) : "null"; }

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
  std::string text = "[";
  for (const std::string& item : items) text += (text.size() > 1 ? "," : "") + item;
  return text + "]";
}

}  // namespace mtfc::cli
