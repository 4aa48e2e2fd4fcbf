// Texts that no one writes on purpose: always a diagnostic, never a crash, never slow.
#include <catch2/catch.hpp>

#include <random>

#include "frontend/layout/parse_layout.h"

namespace frontend_layout_hostile_test {

using namespace mtfc;

namespace {

/// Whether the text was accepted; if not, there must be a reason.
bool accepts(const std::string& text) {
  SourceMap sources;
  Diagnostics diagnostics;
  const FileId file = sources.add("l.layout", text);
  const bool ok = parse_layout(sources, file, diagnostics).has_value();
  CHECK(ok == diagnostics.ok());
  CHECK(diagnostics.errors() <= 21);
  Diagnostics of_mesh;
  const bool is_mesh = parse_mesh(sources, file, of_mesh).has_value();
  CHECK(is_mesh == of_mesh.ok());
  return ok;
}

std::string repeated(const std::string& piece, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += piece;
  return text;
}

}  // namespace

TEST_CASE("junk is refused with a reason") {
  for (const char* text : {"\"abc",
                           "{{{",
                           "}}}",
                           "?:",
                           "a:",
                           ":a",
                           "a::b",
                           "a:b:c",
                           "mesh",
                           "mesh a",
                           "mesh a=",
                           "hardware",
                           "hardware x {",
                           "set",
                           "set a",
                           "set a=",
                           "param",
                           "param \"x\"",
                           "link rows",
                           "[",
                           "]",
                           "[1]",
                           "'",
                           "a'b:c",
                           "+",
                           "a:+b",
                           "a:b+",
                           "\x01",
                           "a:\xC3\xA4",
                           "@",
                           "a:b\\"})
    CHECK_FALSE(accepts(text));
  CHECK_FALSE(accepts(std::string("a:b\0c", 5)));
  CHECK_FALSE(accepts("a:b \xFF"));
  CHECK_FALSE(accepts("a:b \xC0\xAF"));
}

TEST_CASE("large texts take linear time") {
  CHECK(accepts(repeated(";", 300000)));
  CHECK(accepts(repeated("[]", 50000)));
  CHECK(accepts("hardware x {" + repeated("chip a=1\n", 20000) + "}"));
  CHECK_FALSE(accepts(repeated(".", 300000)));
  CHECK_FALSE(accepts(repeated("{", 300000)));
  CHECK_FALSE(accepts(repeated("a:\n", 50000)));
  CHECK_FALSE(accepts("mesh " + repeated("a=1 ", 50000)));
  CHECK_FALSE(accepts("a:b" + repeated("+c", 50000)));
  CHECK_FALSE(accepts(repeated("hardware x {", 20000)));
  CHECK_FALSE(accepts(std::string((std::size_t{1} << 20) + 1, ' ')));
}

TEST_CASE("random token soup") {
  const std::vector<std::string> pieces = {
      "mesh ", "param ", "\"x\"", "{",         "}",     "a",     "b*", ":", "?",
      "=",     "2",      "3TF",   "+",         ";",     ",",     ".",  "[", "]",
      "\n",    "#z\n",   "set ",  "hardware ", "chip ", "link ", "'",  "-", "\xE4"};
  std::mt19937 random(7);
  for (int turn = 0; turn < 2000; ++turn) {
    std::string text;
    for (std::size_t n = random() % 40; n > 0; --n) text += pieces[random() % pieces.size()];
    accepts(text);
  }
}

}  // namespace frontend_layout_hostile_test
