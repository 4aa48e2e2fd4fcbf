// Repeats in sequences of tokens: against a slow search, and in programs with known periods.
#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "bind/repeats.h"
#include "bind/suffixes.h"

namespace bind_repeats_test {

using namespace mtfc::bind;

namespace {

std::vector<int> tokens_of(const std::string& letters) {
  std::vector<int> tokens;
  for (const char letter : letters) tokens.push_back(letter == '.' ? -1 : letter - 'a');
  return tokens;
}

std::vector<Repeat> repeats(const std::string& letters, RepeatRules rules = {2, 2}) {
  return find_repeats(tokens_of(letters), std::vector<int>(letters.size(), 0), rules);
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

}  // namespace

TEST_CASE("suffixes are sorted, and what they share is counted") {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<int> tokens(1 + random() % 40);
    for (int& token : tokens) token = static_cast<int>(random() % 3);
    const Suffixes suffixes = sort_suffixes(tokens);
    for (std::size_t i = 1; i < tokens.size(); ++i) {
      const std::vector<int> a(tokens.begin() + static_cast<std::ptrdiff_t>(suffixes.order[i - 1]),
                               tokens.end()),
          b(tokens.begin() + static_cast<std::ptrdiff_t>(suffixes.order[i]), tokens.end());
      REQUIRE(a < b);
      const auto shared = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
      REQUIRE(suffixes.common[i] == static_cast<std::size_t>(shared));
    }
  }
}

TEST_CASE("periods are found, whatever stands around them") {
  CHECK(repeats("") == std::vector<Repeat>{});
  CHECK(repeats("abcdef") == std::vector<Repeat>{});
  CHECK(repeats("xyabcabcabcz") == std::vector<Repeat>{{3, {2, 5, 8}}});
  // Apart from each other, and of two kinds.
  CHECK(repeats("abcdxabcdefyefz", {2, 2}) == std::vector<Repeat>{{4, {0, 5}}, {2, {9, 12}}});
  // A mark that equals nothing parts them.
  CHECK(repeats("abcd.abcd.", {2, 2}) == std::vector<Repeat>{{4, {0, 5}}});
  CHECK(repeats("..........") == std::vector<Repeat>{});
  // 96 layers of 250 instructions, with something before and behind.
  std::vector<int> tokens = {1000, 1001};
  for (int layer = 0; layer < 96; ++layer)
    for (int i = 0; i < 250; ++i) tokens.push_back(i);
  tokens.push_back(1002);
  const auto found = find_repeats(tokens, std::vector<int>(tokens.size(), 0));
  REQUIRE(found.size() == 1);
  CHECK(found[0].length == 250);
  CHECK(found[0].begins.size() == 96);
}

TEST_CASE("an iteration begins where it begins well, if it may") {
  const std::string letters = "x" + repeated("abcd", 4) + "aby";  // any rotation up to "cdab"
  std::vector<int> good(letters.size(), 0);
  for (std::size_t i = 3; i < good.size(); i += 4) good[i] = 1;  // at every c
  const auto found = find_repeats(tokens_of(letters), good, {2, 2});
  REQUIRE(found.size() == 1);
  CHECK(found[0] == Repeat{4, {3, 7, 11, 15}});
}

TEST_CASE("repeats are equal, apart, and none of any worth is left") {
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    std::vector<int> tokens(random() % 60);
    for (int& token : tokens) token = static_cast<int>(random() % 4) - (random() % 8 == 0 ? 9 : 0);
    const auto found = find_repeats(tokens, std::vector<int>(tokens.size(), 0), {3, 3});
    std::vector<int> left = tokens;
    for (const Repeat& repeat : found) {
      REQUIRE(repeat.begins.size() >= 2);
      for (const std::size_t begin : repeat.begins)
        for (std::size_t j = 0; j < repeat.length; ++j) {
          REQUIRE(tokens[begin + j] >= 0);
          REQUIRE(tokens[begin + j] == tokens[repeat.begins[0] + j]);
          REQUIRE(left[begin + j] != -100);  // taken once
          left[begin + j] = -100;
        }
    }
    for (std::size_t a = 0; a + 3 <= left.size(); ++a)
      for (std::size_t b = a + 3; b + 3 <= left.size(); ++b) {
        bool equal = true;
        for (std::size_t j = 0; j < 3; ++j)
          equal = equal && left[a + j] >= 0 && left[a + j] == left[b + j];
        REQUIRE_FALSE(equal);
      }
  }
}

}  // namespace bind_repeats_test
