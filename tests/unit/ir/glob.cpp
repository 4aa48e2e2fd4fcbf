#include "ir/glob.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>

namespace ir_glob_test {

using mtfc::glob_matches;

namespace {

/// What docs/layouts.md says of stars, letter by letter.
bool by_letters(std::string_view glob, std::string_view path, bool segment_begins) {
  if (glob.empty()) return path.empty();
  if (glob.substr(0, 3) == "**." && segment_begins) {
    if (by_letters(glob.substr(3), path, true)) return true;
    for (std::size_t i = 0; i < path.size(); ++i)
      if (path[i] == '.' && by_letters(glob.substr(3), path.substr(i + 1), true)) return true;
    return false;
  }
  if (glob[0] == '*') {
    const bool across = glob.substr(0, 2) == "**";
    const std::string_view rest = glob.substr(across ? 2 : 1);
    for (std::size_t i = 0; i <= path.size(); ++i) {
      if (by_letters(rest, path.substr(i), false)) return true;
      if (i < path.size() && path[i] == '.' && !across) return false;
    }
    return false;
  }
  return !path.empty() && path[0] == glob[0] &&
         by_letters(glob.substr(1), path.substr(1), glob[0] == '.');
}

std::string some_text(std::mt19937& random, std::string_view letters) {
  std::string text;
  for (unsigned n = random() % 8; n > 0; --n) text += letters[random() % letters.size()];
  return text;
}

}  // namespace

TEST_CASE("globs by example", "[glob]") {
  CHECK(glob_matches("layers.*.attn", "layers.3.attn"));
  CHECK_FALSE(glob_matches("layers.*.attn", "layers.3.attn.wq"));
  CHECK_FALSE(glob_matches("layers.*", "layers.3.attn"));
  CHECK(glob_matches("layers.**", "layers.3.attn"));
  CHECK(glob_matches("**.b", "b"));
  CHECK(glob_matches("**.b", "layers.3.b"));
  CHECK_FALSE(glob_matches("**.b", "layers.3.ab"));
  CHECK(glob_matches("**", ""));
  CHECK_FALSE(glob_matches("", "a"));
  CHECK_FALSE(glob_matches("ab*ba", "aba"));
}

TEST_CASE("random globs match what they match letter by letter", "[glob]") {
  std::mt19937 random(1);
  int matched = 0;
  for (int i = 0; i < 100000; ++i) {
    const std::string glob = some_text(random, "ab.***"), path = some_text(random, "aab.");
    INFO(glob << " " << path);
    const bool wanted = by_letters(glob, path, true);
    matched += wanted;
    if (glob_matches(glob, path) != wanted) FAIL("another answer");
  }
  CHECK(matched > 5000);
}

}  // namespace ir_glob_test
