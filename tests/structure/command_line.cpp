// The command line does no compiler work: it asks rooms below, and walks nothing itself.
#include <catch2/catch.hpp>

#include "sources.h"

namespace structure_command_line_test {

using namespace mtfc::test;

TEST_CASE("src/cli walks no graph and parses no text by regular expressions", "[structure]") {
  const auto files = files_below("src/cli", {".h", ".cpp"});
  REQUIRE(files.size() > 20);
  for (const SourceText& file : files)
    for (const char* forbidden : {"<regex>", ".ops", "op.op", "producer(", ".attrs", "graph.values",
                                  "->values", "cut_at_tokens", ".instructions"}) {
      INFO(file.path << " has " << forbidden);
      CHECK(file.text.find(forbidden) == file.text.npos);
    }
}

}  // namespace structure_command_line_test
