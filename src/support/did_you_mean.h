// Which of the names that there are somebody meant.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace mtfc {

/// The candidate that is nearest to `word` (Damerau-Levenshtein distance at most max(1, length /
/// 3); of those that are as far `adam` is nearer to `adamm` than `adamw`, for its look). Several if
/// they are equally near, none if none is near.
std::vector<std::string> did_you_mean(std::string_view word,
                                      const std::vector<std::string>& candidates);

/// The word that can replace what was written: the nearest if it is alone. Null otherwise.
const std::string* sole(const std::vector<std::string>& nearest);

/// "did you mean `rows`?", "did you mean `adam` or `adamw`?"; of many words the first three.
std::string meant(const std::vector<std::string>& nearest);
/// The same of the nearest candidates; `otherwise` if there are none.
std::string suggested(std::string_view word, const std::vector<std::string>& candidates,
                      std::string otherwise = "");
/// Whether `word` is the first word of a name of several: `a100` of `a100_80`.
bool is_first_word(std::string_view word, std::string_view name);

/// Whether one of two near names that a user gives is a mistake for the other: a short one, or one
/// that differs in a number, is as often another that was forgotten (`x2` beside `x1`, `wv` beside
/// `wk`).
bool is_mistyped(std::string_view word, std::string_view name);

/// Whether `word` can hardly be anything but a slip of the pen for `name`: one letter that is
/// wrong, missing, too many or exchanged with its neighbour, within the word. At its end, or in a
/// number, it often makes another name: `tan`, `erfc`, `conv1d`.
bool is_slip(std::string_view word, std::string_view name);

}  // namespace mtfc
