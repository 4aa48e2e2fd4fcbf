#include "cli/session/file_kind.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

namespace mtfc::cli {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
}
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// Without blanks and comments at its beginning.
std::string_view from_first_word(std::string_view text) {
  while (!text.empty()) {
    if (text[0] == '#')
      text.remove_prefix(std::min(text.find('\n'), text.size()));
    else if (is_blank(text[0]))
      text.remove_prefix(1);
    else
      break;
  }
  return text;
}

std::string_view first_word(std::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_letter);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

FileKind kind_of(const std::string& path, std::string_view text) {
  constexpr std::array<std::string_view, 10> of_models = {
      "use", "dim", "const", "data", "input", "block", "instance", "repeat", "loss", "state"};
  constexpr std::array<std::string_view, 3> of_layouts = {"mesh", "hardware", "set"};
  if (text.find('\0') != text.npos) return FileKind::unknown;  // neither: not text
  const std::string_view statement = from_first_word(text);
  const std::string_view word = first_word(statement);
  std::string_view rest = statement.substr(word.size());
  while (!rest.empty() && (rest[0] == '\'' || rest[0] == '*' || rest[0] == '?'))
    rest.remove_prefix(1);
  const bool rule = rest.starts_with(":") || (word.empty() && statement.starts_with("*"));
  while (!rest.empty() && (rest[0] == ' ' || rest[0] == '\t')) rest.remove_prefix(1);
  const bool names = !rest.empty() && is_letter(rest[0]);
  // `name:` is also how some mistakes in a model begin.
  if ((rule || statement.starts_with("[]")) && !path.ends_with(".mtf")) return FileKind::layout;
  if (names && is_one_of(word, of_layouts)) return FileKind::layout;
  if (is_one_of(word, of_models)) return FileKind::model;
  if (path.ends_with(".layout")) return FileKind::layout;
  return path.ends_with(".mtf") ? FileKind::model : FileKind::unknown;
}

std::string ending_of(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return ending;
}

bool has_other_format(const std::string& path) {
  const std::string ending = ending_of(path);
  for (const char* other : {".png", ".pdf", ".jpg", ".jpeg", ".gif", ".eps", ".webp"})
    if (ending == other) return true;
  return false;
}

}  // namespace mtfc::cli
