// Every data source stands in docs/data.md: its call, its arguments, its fields.
#include <catch2/catch.hpp>

#include "sources.h"
#include "sources/source_table.h"

namespace structure_data_sources_test {

using namespace mtfc;
using namespace mtfc::test;

TEST_CASE("docs/data.md shows the data sources", "[structure]") {
  std::string text;
  for (const SourceText& file : files_below("docs", {".md"}))
    if (file.path == "docs/data.md") text = file.text;
  for (const SourceRow& row : source_table()) {
    INFO(row.name);
    CHECK(text.find(std::string(row.name) + "(") != text.npos);
    for (const SourceArg& arg : row.args) {
      INFO(arg.name);
      const bool first = &arg == &row.args[0] && arg.kind == SourceArg::Kind::path;
      CHECK((first || has_word(text, std::string(arg.name))));
    }
    for (const SourceField& field : row.fields)
      CHECK((field.name.empty() || has_word(text, std::string(field.name))));
  }
}

}  // namespace structure_data_sources_test
