// Numbers and lists as text.
#pragma once
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace mtfc {

/// The shortest decimal that reads back to the same float or double; "inf", "-inf", "nan".
std::string shortest(float value);
std::string shortest(double value);
/// To so many figures: "0.1235", "1.2e+07"; "inf", "-inf", "nan" whatever its sign.
std::string rounded(double value, int figures);
/// 802816 -> "802,816".
std::string with_commas(std::int64_t number);
/// A number that counts: without a point or an exponent as far as integers reach.
std::string whole_text(double count);
/// "1 error", "3 errors".
template <class Number>
std::string counted(Number count, std::string_view word) {
  std::string text;
  if constexpr (std::is_floating_point_v<Number>)
    text = whole_text(count);
  else
    text = std::to_string(count);
  return text + " " + std::string(word) + (count == 1 ? "" : "s");
}
/// In backquotes, as messages show what they quote; beyond `longest` bytes it ends with "...".
std::string backquoted(std::string_view text, std::size_t longest = std::string_view::npos);
/// As a shell reads it as one word.
std::string shell_word(const std::string& text);

/// The whole text as a number; nothing if it is none, or beyond the type's range.
template <class Number>
std::optional<Number> read_number(std::string_view text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value);
  if (text.empty() || failure != std::errc() || stop != end) return std::nullopt;
  return value;
}
/// A whole number from `least` to `most`.
std::optional<std::int64_t> read_whole(std::string_view text, std::int64_t least,
                                       std::int64_t most);

/// The texts of `items` with `separator` between.
template <class Items, class Text>
std::string joined(const Items& items, std::string_view separator, Text text) {
  std::string all;
  bool first = true;
  for (const auto& item : items) {
    if (!first) all += separator;
    first = false;
    all += text(item);
  }
  return all;
}
template <class Items>
std::string joined(const Items& items, std::string_view separator) {
  return joined(
      items, separator, [](const auto& item) -> const auto& { return item; });
}
/// What rows of a table are called.
template <class Rows>
std::vector<std::string> names_of(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(row.name);
  return names;
}
/// "bash, zsh or fish"; `last`: "or".
std::string series(const std::vector<std::string>& words, std::string_view last);

}  // namespace mtfc
