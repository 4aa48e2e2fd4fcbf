// What is known about one operation, instruction or kernel stands in few files: the source files
// that name it are counted. A limit goes down when a file less is needed, never up.
#include <catch2/catch.hpp>

#include <algorithm>

#include "sources.h"

namespace structure_named_in_test {

using namespace mtfc::test;

namespace {

struct Subject {
  std::string name;
  std::vector<std::string> words;      // identifiers
  std::vector<std::string> fragments;  // where the plain word means other things too
  std::size_t limit;
};

const std::vector<Subject>& subjects() {
  static const std::vector<Subject> all = {
      {"cumsum", {"cumsum", "cumsum_rows", "PrefixSum", "prefix_sum", "PrefixSumSpec"}, {}, 8},
      {"top_k",
       {"top_k_rows", "TopK", "TopKSpec"},
       {"\"top_k\"", "ops/top_k.h", "ops::top_k", "OPERATIONS(top_k)"},
       11},
      {"concat", {"concat", "Concat", "ConcatSpec", "concat_rows"}, {}, 9},
      {"put",
       {"Put", "PutSpec", "put_rows"},
       {"\"put\"", "ops/put.h", "ops::put", "OPERATIONS(put)"},
       11},
      {"window",
       {"Window", "WindowAdd", "WindowSpec", "WindowAddSpec", "window_add", "window_rows"},
       {"ops/window.h", "OPERATIONS(window)"},
       18},
      {"softplus", {"softplus"}, {}, 2},
  };
  return all;
}

bool names(const std::string& text, const Subject& subject) {
  return std::any_of(subject.words.begin(), subject.words.end(),
                     [&](const std::string& word) { return has_word(text, word); }) ||
         std::any_of(subject.fragments.begin(), subject.fragments.end(),
                     [&](const std::string& f) { return text.find(f) != text.npos; });
}

}  // namespace

TEST_CASE("few files name an operation", "[structure]") {
  const auto files = files_below("src", {".h", ".cpp", ".def", ".inc"});
  REQUIRE(files.size() > 50);
  for (const Subject& subject : subjects()) {
    std::string list;
    std::size_t count = 0;
    for (const SourceText& file : files) {
      if (!names(file.text, subject)) continue;
      ++count;
      list += "\n  " + file.path;
    }
    INFO(subject.name << " is named in " << count << " files, at most " << subject.limit
                      << " are meant to:" << list);
    CHECK(count > 1);
    CHECK(count <= subject.limit);
  }
}

}  // namespace structure_named_in_test
