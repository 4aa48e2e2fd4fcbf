// Pieces of C++ as text. Nothing in a model's names, strings or paths can become code: everything
// that comes from a user passes through identifier, string_literal or comment.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mtfc::backends {

/// A valid identifier: letters, digits and single underscores of `name`, cut to a readable length,
/// then "_" and the number, which makes it unique and keeps it from being a keyword. Our own names
/// beside it do not end so. No macro of the headers that a program includes has this form.
std::string identifier(std::string_view name, int number);
/// "..." with everything but plain characters escaped.
std::string string_literal(std::string_view text);
/// Text for a // comment: one line of plain characters that does not end in a backslash.
std::string comment(std::string_view text);

std::string number(std::int64_t value);
std::string number(double value);
std::string boolean(bool value);
/// "{a, b, c}"
std::string braces(const std::vector<std::string>& items);
/// The same; a long list goes over several lines.
std::string wrapped(const std::vector<std::string>& items, int indent);
std::string numbers(const std::vector<std::int64_t>& values);
std::string numbers(const std::vector<int>& values);

/// "Type{" fields, one a line, "}": for what stands in a function.
std::string block(const std::string& type, const std::vector<std::string>& fields, int indent);

/// "{" the items' texts, one a line, "}"; "{}" of none.
template <class Item, class Text>
std::string lines(const std::vector<Item>& items, Text text, int indent) {
  std::vector<std::string> texts;
  for (const Item& item : items) texts.push_back(text(item));
  return texts.empty() ? "{}" : block("", texts, indent);
}

}  // namespace mtfc::backends
