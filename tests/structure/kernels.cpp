// kernels.def and the files beside it.
#include <catch2/catch.hpp>
#include <regex>

#include "sources.h"

namespace structure_kernels_test {

using namespace mtfc::test;

namespace {

struct KernelRow {
  std::string function, spec;
};

std::string text_of(const std::string& path) {
  for (const SourceText& file : files_below("src/kernels", {".h", ".cpp", ".def"}))
    if (file.path == "src/kernels/" + path) return file.text;
  return "";
}

std::vector<KernelRow> rows_of(const std::string& list) {
  std::vector<KernelRow> rows;
  const std::regex row("\\nMTFC_KERNEL\\((\\w+), (\\w+)\\)");
  for (std::sregex_iterator at(list.begin(), list.end(), row), end; at != end; ++at)
    rows.push_back({(*at)[1], (*at)[2]});
  return rows;
}

}  // namespace

TEST_CASE("every kernel is a header, a source and a row", "[structure]") {
  const std::string list = text_of("kernels.def");
  const std::vector<KernelRow> rows = rows_of(list);
  REQUIRE(!rows.empty());
  for (const auto& [function, spec] : rows) {
    INFO(function);
    CHECK(list.find("#include \"kernels/" + function + ".h\"\n") != list.npos);
    const std::string header = text_of(function + ".h"), source = text_of(function + ".cpp");
    CHECK(header.find("struct " + spec + " {") != header.npos);
    CHECK(header.find("void " + function + "(Pool& pool, const " + spec + "& spec") != header.npos);
    CHECK(source.find("void " + function + "(Pool& pool, const " + spec + "& spec") != source.npos);
  }
}

}  // namespace structure_kernels_test
