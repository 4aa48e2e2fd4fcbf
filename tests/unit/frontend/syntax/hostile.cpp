#include <catch2/catch.hpp>

#include <random>

#include "lab.h"
#include "show.h"
#include "unit/support/nightly.h"

namespace frontend_syntax_hostile_test {

using namespace mtfc;
using lab::Parsed;
using lab::repeated;

namespace {

/// By day texts are half as long.
const unsigned share = MTFC_TEST_SHARE * (test::is_nightly() ? 1 : 2);
/// Far above what any of these needs, on a busy machine too; a quarter for half of the text, so
/// that what takes the square of its length is found as well. With sanitizers all takes longer.
const double limit_seconds = test::is_nightly() || MTFC_TEST_SHARE > 1 ? 10 : 2.5;

struct Timed {
  explicit Timed(std::string text) : start(std::clock()), parsed(std::move(text)), seconds(0) {
    report = parsed.report();
    seconds = lab::seconds_since(start);
  }
  std::clock_t start;
  Parsed parsed;
  std::string report;
  double seconds;
};

std::string random_bytes(std::size_t count, unsigned first, unsigned last) {
  std::mt19937 random(7);
  std::string text(count, ' ');
  for (char& c : text) c = static_cast<char>(first + random() % (last - first + 1));
  return text;
}

}  // namespace

TEST_CASE("files that are not text") {
  CHECK(Parsed(random_bytes(100000, 0, 255)).codes() == "E104");
  CHECK(Parsed(random_bytes(100000, 1, 255)).codes() == "E104");
  CHECK(Parsed(std::string("x = 1\n\0y = 2", 12)).codes() == "E104");
  CHECK(Parsed("# \xED\xA0\x80 a lone surrogate").codes() == "E104");
  CHECK(Parsed("# \xC0\x80 overlong").codes() == "E104");
  CHECK(Parsed("# cut \xE4\xB8").codes() == "E104");
  const std::string utf16 =
      "error[E104]: m.mtf is UTF-16, not UTF-8\n"
      "  = help: save it as UTF-8; `iconv -f UTF-16 -t UTF-8` converts it\n";
  CHECK(Parsed(std::string("\xFF\xFEx\0=\0", 6)).report() == utf16);
  CHECK(Parsed(std::string("x\0 \0=\0 \0"
                           "1\0",
                           10))
            .report() == utf16);
  CHECK(Parsed(std::string("\0x\0 \0=\0 \0"
                           "1",
                           10))
            .report() == utf16);
  CHECK(Parsed("\xFF\xFEx").report() ==
        "error[E104]: this file is not UTF-8 text: the byte 0xFF does not belong there\n"
        " --> m.mtf:1:1\n1 | \xEF\xBF\xBD\xEF\xBF\xBDx\n  | ^ not UTF-8 from here\n"
        "  = help: save it as UTF-8\n");
}

TEST_CASE("files that are too large") {
  CHECK(Parsed(repeated("# a comment\n", 1500000)).codes() == "E103");
}

TEST_CASE("random printable text gives a few errors, quickly") {
  const Timed junk(random_bytes(300000, 32, 126));
  CHECK_FALSE(junk.parsed.tree);
  CHECK(junk.parsed.diagnostics.errors() <= 21);
  CHECK(junk.seconds < limit_seconds);
}

TEST_CASE("random tokens give a few errors, and never a wrong step") {
  const std::vector<std::string> words = {"dim",  "param", "block",  "if", "else", "then", "train",
                                          "loss", "use",   "repeat", "x",  "y",    "(",    ")",
                                          "[",    "]",     "{",      "}",  "=",    "==",   "->",
                                          "over", ",",     "+",      "-",  "//",   ".",    "@",
                                          "1",    "\"s\"", "\n",     "\n", ";",    "\"",   "not",
                                          "~",    ":",     "'"};
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (int i = 0; i < 60; ++i) text += words[random() % words.size()] + " ";
    const Parsed parsed(text);
    INFO(text);
    CHECK((parsed.tree.has_value() || parsed.diagnostics.errors() > 0));
    CHECK(parsed.diagnostics.errors() <= 22);
    for (const Diagnostic& d : parsed.diagnostics.all()) CHECK_FALSE(d.message.empty());
    CHECK_FALSE((parsed.report().empty() && !parsed.tree));
  }
}

TEST_CASE("deep nesting is refused before it can do harm") {
  for (const char* open : {"(", "f(", "x[a = ", "-(", "if (", "if a then b else ("}) {
    const Timed deep("y = " + repeated(open, 10000) + "1");
    INFO(open);
    CHECK(deep.parsed.codes() == "E102");
    CHECK(deep.seconds < limit_seconds);
  }
  CHECK(Parsed(repeated("block f() { ", 10000)).codes() == "E102");
  CHECK(Parsed("y = " + repeated("if ", 10000) + "a").codes() == "E102");
  CHECK(Parsed("y = " + repeated("- ", 10000) + "a").codes() == "E102");
  CHECK(Parsed("y = " + repeated("not ", 10000) + "a").codes() == "E102");
  CHECK(Parsed("y = " + repeated("a ^ ", 10000) + "a").codes() == "E102");
  CHECK(Parsed("y = " + repeated("not a + ", 10000) + "a").codes() == "E102");
  CHECK(Parsed("y = " + repeated("if c then a else ", 10000) + "a").codes() == "E102");
  CHECK(Parsed("y = a" + repeated("[b -> c]", 10000)).codes() == "E102");
  CHECK(Parsed("y = a" + repeated(".b", 10000)).codes() == "E102");
  CHECK(Parsed("if a { } " + repeated("else if b { } ", 10000)).codes() == "E102");
}

TEST_CASE("256 levels are fine") {
  CHECK(Parsed("y = " + repeated("(", 256) + "1" + repeated(")", 256)).codes().empty());
  CHECK(Parsed("y = " + repeated("(", 257) + "1" + repeated(")", 257)).codes() == "E102");
  CHECK(Parsed("y = " + repeated("a ^ ", 200) + "a").codes().empty());
  CHECK(Parsed("if a { } " + repeated("else if b { } ", 200)).codes().empty());
  CHECK(Parsed(repeated("if a { }\n", 1000)).codes().empty());
}

TEST_CASE("long chains are no nesting") {
  for (const char* op : {" + ", " * ", " and ", " // ", " - -"}) {
    const Timed chain("y = a" + repeated(std::string(op) + "a", 50000 / share));
    INFO(op << chain.report.substr(0, 500));
    REQUIRE(chain.parsed.tree);
    CHECK(chain.seconds < limit_seconds);
    CHECK(lab::show(*chain.parsed.tree).size() > 100000 / share);
  }
}

TEST_CASE("long files and long lines") {
  const Timed many(repeated("x = x + 1\n", 100000 / share));
  REQUIRE(many.parsed.tree);
  CHECK(many.parsed.tree->body.size() == 100000 / share);
  CHECK(many.seconds < limit_seconds);

  const Timed broken(repeated("x = x + \n", 100000 / share));
  CHECK(broken.parsed.diagnostics.errors() <= 21);
  CHECK(broken.seconds < limit_seconds);

  const Timed comment("x = 1 # " + std::string(10000000, '#') + "\ny = )");
  CHECK(comment.parsed.codes() == "E100");
  CHECK(comment.seconds < limit_seconds);

  const Timed name("x = " + std::string(10000000, 'a') + " )");
  CHECK(name.parsed.codes() == "E100");
  CHECK(name.report.size() < 2000);
  CHECK(name.seconds < limit_seconds);

  const Timed list("x = f(" + repeated("a, ", 100000 / share) + "= 1)");
  CHECK(list.parsed.diagnostics.errors() == 1);
  CHECK(list.seconds < limit_seconds);
}

TEST_CASE("long texts are formatted quickly") {
  const auto start = std::clock();
  SourceMap sources;
  Diagnostics diagnostics;
  const std::string text = "y = f(a)" + repeated(" + f(a)", 20000 / share) + "\n" +
                           repeated("x = f(1, # one\n 2)\n", 10000 / share);
  const auto once = format_model(sources, sources.add("a.mtf", text), diagnostics);
  REQUIRE(once);
  const auto twice = format_model(sources, sources.add("b.mtf", *once), diagnostics);
  CHECK(once == twice);
  CHECK(lab::seconds_since(start) < limit_seconds);
}

}  // namespace frontend_syntax_hostile_test
