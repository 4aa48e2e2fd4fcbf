// Paths in the text of `--set data.NAME=...`, found by what the arguments are.
#include "frontend/elaborate/source_paths.h"

#include <catch2/catch.hpp>

namespace frontend_elaborate_source_paths_test {

namespace {

std::string moved(const std::string& value) {
  return mtfc::with_source_paths(value, [](const std::string& path) { return "/there/" + path; });
}

}  // namespace

TEST_CASE("a path alone, quoted or not") {
  CHECK(moved("a.txt") == "/there/a.txt");
  CHECK(moved("a dir/b (1).txt") == "/there/a dir/b (1).txt");
  CHECK(moved("\"a.txt\"") == "\"/there/a.txt\"");
  CHECK(moved("\"a \\\"b\\\".txt\"") == "\"/there/a \\\"b\\\".txt\"");
}

TEST_CASE("the paths of a call, and nothing else of it") {
  CHECK(moved("chars(\"a.txt\", eval = \"b.txt\", holdout=0.25)") ==
        "chars(\"/there/a.txt\", eval = \"/there/b.txt\", holdout=0.25)");
  CHECK(moved("chars(eval=\"b.txt\", file=\"a.txt\")") ==
        "chars(eval=\"/there/b.txt\", file=\"/there/a.txt\")");
  CHECK(moved("npy(\"x.npy\", label=\"y.npy\")") ==
        "npy(\"/there/x.npy\", label=\"/there/y.npy\")");
  CHECK(moved("gaussian(seed=3)") == "gaussian(seed=3)");
}

TEST_CASE("words that look like paths stay") {
  CHECK(moved("lines(\"a.txt\", tokens=\"some/words.txt\")") ==
        "lines(\"/there/a.txt\", tokens=\"some/words.txt\")");
  CHECK(
      moved("tsv(\"a.txt\", \"b.txt\", 0.5, \"some/words.txt\", \"v.txt\", too_long=\"./skip\")") ==
      "tsv(\"/there/a.txt\", \"/there/b.txt\", 0.5, \"some/words.txt\", \"/there/v.txt\", "
      "too_long=\"./skip\")");
}

}  // namespace frontend_elaborate_source_paths_test
