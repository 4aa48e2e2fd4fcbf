#include "cli/session/proposal.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace mtfc::cli {
namespace {

bool is_of_name(char c) {
  return c == '_' || c == '\'' || std::isalnum(static_cast<unsigned char>(c)) != 0;
}

bool is_name(std::string_view text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front())) != 0) return false;
  for (const char c : text)
    if (!is_of_name(c)) return false;
  return true;
}

/// Where the name stands in a text, but for comments.
std::vector<std::size_t> offsets_of(std::string_view text, std::string_view name) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '#') {
      i = std::min(text.find('\n', i), text.size());
    } else if (is_of_name(text[i])) {
      const std::size_t begin = i;
      while (i < text.size() && is_of_name(text[i])) ++i;
      if (text.substr(begin, i - begin) == name) found.push_back(begin);
    } else {
      ++i;
    }
  }
  return found;
}

}  // namespace

std::optional<Proposal> the_other_way(const Texts& texts, const Proposal& proposal) {
  if (proposal.changes.size() != 1) return std::nullopt;
  const auto& [range, replacement] = proposal.changes.front();
  const std::string name = texts.at(proposal.path).substr(range.first, range.second - range.first);
  if (!is_name(name) || !is_name(replacement)) return std::nullopt;
  std::size_t often = 0, once = 0;
  Proposal other;
  for (const auto& [path, text] : texts) {
    often += offsets_of(text, name).size();
    for (const std::size_t at : offsets_of(text, replacement)) {
      ++once;
      other = {path, {{{at, at + replacement.size()}, name}}};
    }
  }
  if (once != 1 || often < 2) return std::nullopt;
  return other;
}

}  // namespace mtfc::cli
