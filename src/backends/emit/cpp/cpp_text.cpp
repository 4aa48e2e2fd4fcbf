#include "backends/emit/cpp/cpp_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "support/text.h"

namespace mtfc::backends {
namespace {

constexpr std::size_t kLongestName = 40;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_plain(char c) { return c >= 0x20 && c < 0x7f; }

}  // namespace

std::string identifier(std::string_view name, int number) {
  std::string text;
  for (char c : name) {
    if (text.size() >= kLongestName) break;
    if (is_letter(c) || (is_digit(c) && !text.empty()))
      text += c;
    else if (!text.empty() && text.back() != '_')
      text += '_';
  }
  while (!text.empty() && text.back() == '_') text.pop_back();
  // M_PI_2 and the like are macros.
  if (std::none_of(text.begin(), text.end(), is_lower))
    std::transform(text.begin(), text.end(), text.begin(), to_lower);
  return (text.empty() ? "t" : text) + "_" + std::to_string(number);
}

std::string string_literal(std::string_view text) {
  std::string literal = "\"";
  for (char c : text) {
    if (c == '\0') continue;  // would end a C string
    if (c == '"' || c == '\\') {
      literal += '\\';
      literal += c;
    } else if (c == '?') {
      literal += "\\?";  // no trigraphs
    } else if (is_plain(c)) {
      literal += c;
    } else {
      char octal[8];
      std::snprintf(octal, sizeof octal, "\\%03o",
                    static_cast<unsigned>(static_cast<unsigned char>(c)));
      literal += octal;
    }
  }
  return literal + "\"";
}

std::string comment(std::string_view text) {
  std::string line;
  for (char c : text) line += is_plain(c) ? c : '?';
  // Blanks behind a backslash do not keep it from joining the next line.
  while (!line.empty() && line.back() == ' ') line.pop_back();
  if (!line.empty() && line.back() == '\\') line += '.';
  // "??/" was a backslash once.
  for (std::size_t at; (at = line.find("?\?/")) != std::string::npos;) line.erase(at, 1);
  return line;
}

std::string number(std::int64_t value) { return std::to_string(value); }

std::string number(double value) {
  if (std::isnan(value)) return "std::numeric_limits<double>::quiet_NaN()";
  if (std::isinf(value))
    return std::string(value < 0 ? "-" : "") + "std::numeric_limits<double>::infinity()";
  std::string literal = shortest(value);
  if (literal.find_first_of(".e") == std::string::npos) literal += ".0";
  return literal;
}

std::string boolean(bool value) { return value ? "true" : "false"; }

std::string braces(const std::vector<std::string>& items) {
  std::string text = "{";
  for (std::size_t i = 0; i < items.size(); ++i) text += (i ? ", " : "") + items[i];
  return text + "}";
}

std::string wrapped(const std::vector<std::string>& items, int indent) {
  constexpr std::size_t kPerLine = 16;
  if (items.size() <= kPerLine) return braces(items);
  const std::string line = "\n" + std::string(static_cast<std::size_t>(indent), ' ');
  std::string text = "{";
  for (std::size_t i = 0; i < items.size(); ++i)
    text += (i > 0 ? "," : "") + (i % kPerLine == 0 ? line : std::string(" ")) + items[i];
  return text + "}";
}

std::string numbers(const std::vector<std::int64_t>& values) {
  std::vector<std::string> items;
  for (std::int64_t value : values) items.push_back(number(value));
  return braces(items);
}

std::string numbers(const std::vector<int>& values) {
  return numbers(std::vector<std::int64_t>(values.begin(), values.end()));
}

std::string block(const std::string& type, const std::vector<std::string>& fields, int indent) {
  const std::string inner(static_cast<std::size_t>(indent + 4), ' ');
  std::string text = type + "{\n";
  for (const std::string& field : fields) text += inner + field + ",\n";
  text.replace(text.size() - 2, 1, "");  // no comma after the last
  text.pop_back();
  return text + "}";
}

}  // namespace mtfc::backends
