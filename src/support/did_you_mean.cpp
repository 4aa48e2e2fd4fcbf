#include "support/did_you_mean.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

#include "support/text.h"

namespace mtfc {
namespace {

/// Insertions, deletions, replacements and swaps of neighbours that lead from `a` to `b`.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = std::min(now[j], before_last[j - 2] + 1);
    }
    before_last.swap(last);
    last.swap(now);
  }
  return last[b.size()];
}

std::string digits(std::string_view text) {
  std::string all;
  for (const char c : text)
    if (std::isdigit(static_cast<unsigned char>(c))) all += c;
  return all;
}

std::string small(std::string_view text) {
  std::string all;
  for (const char c : text) all += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return all;
}

/// A name as it looks: `Ioo`, `i0` and `io` are alike.
std::string look(std::string_view name) {
  std::string all;
  char before = 0;
  for (const char c : small(name)) {
    if (c != before || !std::isalpha(static_cast<unsigned char>(c)))
      all += c == '0' ? 'o' : c == '1' ? 'l' : c;
    before = c;
  }
  return all;
}

struct Near {
  std::size_t distance;
  bool looks_other;  // of two that are as far the one that looks like it is nearer
  std::string word;

  auto order() const { return std::pair(distance, looks_other); }
};

}  // namespace

bool is_first_word(std::string_view word, std::string_view name) {
  return word.size() >= 3 && name.size() > word.size() && name.starts_with(word) &&
         std::ispunct(static_cast<unsigned char>(name[word.size()]));
}

std::vector<std::string> did_you_mean(std::string_view word,
                                      const std::vector<std::string>& candidates) {
  constexpr std::size_t longest = 200;  // nobody mistypes a longer word; bounds the work
  const std::size_t limit = std::max<std::size_t>(1, word.size() / 3);
  std::vector<Near> near;
  for (const std::string& candidate : candidates) {
    if (word != candidate && (small(word) == small(candidate) || is_first_word(word, candidate))) {
      near.push_back({0, false, candidate});
      continue;
    }
    // The distance is at least the difference of the lengths.
    if (word.size() > longest || candidate.size() > word.size() + limit ||
        word.size() > candidate.size() + limit)
      continue;
    const std::size_t d = distance(word, candidate);
    // d == size: nothing of the word is left, as when one letter is compared with another.
    if (d > 0 && d <= limit && d < word.size())
      near.push_back({d, look(word) != look(candidate), candidate});
  }
  std::pair least(limit, true);
  for (const Near& n : near) least = std::min(least, n.order());
  std::vector<std::string> words;
  for (Near& n : near)
    if (n.order() == least && std::find(words.begin(), words.end(), n.word) == words.end())
      words.push_back(std::move(n.word));
  return words;
}

const std::string* sole(const std::vector<std::string>& nearest) {
  return nearest.size() == 1 ? &nearest.front() : nullptr;
}

std::string meant(const std::vector<std::string>& nearest) {
  constexpr std::size_t most = 3;
  std::vector<std::string> words;
  for (std::size_t i = 0; i < nearest.size() && i < most; ++i)
    words.push_back(backquoted(nearest[i]));
  return "did you mean " + series(words, "or") + "?";
}

std::string suggested(std::string_view word, const std::vector<std::string>& candidates,
                      std::string otherwise) {
  const std::vector<std::string> near = did_you_mean(word, candidates);
  return near.empty() ? otherwise : meant(near);
}

bool is_mistyped(std::string_view word, std::string_view name) {
  constexpr std::size_t shortest = 4;  // of words in which one letter more or less is a mistake
  const bool is_long = std::min(word.size(), name.size()) >= shortest;
  return look(word) == look(name) || (is_long && digits(word) == digits(name));
}

bool is_slip(std::string_view word, std::string_view name) {
  return !word.empty() && !name.empty() && distance(word, name) == 1 &&
         word.front() == name.front() && word.back() == name.back() && digits(word) == digits(name);
}

}  // namespace mtfc
