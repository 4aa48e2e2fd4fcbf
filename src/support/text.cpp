#include "support/text.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>

namespace mtfc {
namespace {

template <class Float>
std::string shortest_of(Float value) {
  if (std::isnan(value)) return "nan";  // whose sign says nothing: it differs between processors
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value);
  return std::string(buffer, end.ptr);
}

}  // namespace

std::string shortest(float value) { return shortest_of(value); }
std::string shortest(double value) { return shortest_of(value); }

std::string rounded(double value, int figures) {
  if (std::isnan(value)) return "nan";
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", figures, value);
  return text;
}

std::optional<std::int64_t> read_whole(std::string_view text, std::int64_t least,
                                       std::int64_t most) {
  const auto number = read_number<std::int64_t>(text);
  return number && *number >= least && *number <= most ? number : std::nullopt;
}

std::string with_commas(std::int64_t number) {
  std::string text = std::to_string(number);
  const std::size_t digits = number < 0 ? 1 : 0;  // where they begin
  for (std::size_t at = text.size(); at > digits + 3;) text.insert(at -= 3, ",");
  return text;
}

std::string whole_text(double count) {
  const bool fits = std::abs(count) < 9e18 && std::nearbyint(count) == count;
  return fits ? std::to_string(static_cast<std::int64_t>(count)) : shortest(count);
}

std::string backquoted(std::string_view text, std::size_t longest) {
  if (text.size() <= longest) return "`" + std::string(text) + "`";
  return "`" + std::string(text.substr(0, longest)) + "...`";
}

std::string series(const std::vector<std::string>& words, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 < words.size() ? ", " : " " + std::string(last) + " ";
    text += words[i];
  }
  return text;
}

std::string shell_word(const std::string& text) {
  const bool is_plain = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("/._-+=,:@%").find(char(c)) != std::string_view::npos;
  });
  if (is_plain) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace mtfc
