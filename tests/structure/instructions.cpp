// How many source files name an instruction: what one more costs.
#include <catch2/catch.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ir/instr/all.h"
#include "sources.h"

namespace structure_instructions_test {

using namespace mtfc;

namespace {

/// "prefix_sum" -> "PrefixSum"
std::string struct_name(std::string_view name) {
  std::string text;
  bool begins = true;
  for (char c : name) {
    if (c != '_') text += static_cast<char>(begins ? std::toupper(c) : c);
    begins = c == '_';
  }
  return text;
}

/// The rooms that see programs.
const char* kRooms[] = {"src/ir",   "src/layout", "src/lowering",
                        "src/bind", "src/cost",   "src/backends"};

/// Its header, its row, its binding: 3 files, besides the operation that becomes it. What passes
/// over programs look for is named by them, too; what runs in tiles, by the instruction that holds
/// it. Lower a number when you can; whoever raises one knows a reason.
constexpr int kUsual = 5;
const std::map<std::string_view, int> kNamedByPasses = {
    {"map", 27},           {"contract", 17},   {"reduce", 13},     {"rearrange", 14}, {"shard", 15},
    {"permute", 7},        {"all_reduce", 10}, {"all_gather", 11}, {"all_to_all", 8}, {"read", 11},
    {"reduce_scatter", 8}, {"write", 11},      {"feed", 9},        {"fetch", 8},      {"wait", 7},
    {"tiled", 8},          {"add_product", 6}, {"scatter_add", 6}, {"pad", 6}};

}  // namespace

TEST_CASE("few files name an instruction", "[structure]") {
  std::map<std::string_view, std::vector<std::string>> files;  // by instruction
  const auto look = [&](const test::SourceText& file, std::string_view name) {
    if (test::has_word(file.text, struct_name(name))) files[name].push_back(file.path);
  };
  for (const char* room : kRooms)
    for (const test::SourceText& file : test::files_below(room, {".h", ".cpp", ".def"}))
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        (look(file, std::variant_alternative_t<I, InstructionKind>::kName), ...);
      }
  (std::make_index_sequence<std::variant_size_v<InstructionKind>>());
  REQUIRE(files.size() == std::variant_size_v<InstructionKind>);
  for (const auto& [name, list] : files) {
    const auto limit = kNamedByPasses.find(name);
    std::string text;
    for (const std::string& path : list) text += "\n  " + path;
    INFO(name << " is named in " << list.size() << " files:" << text);
    CHECK(list.size() >= 3);
    CHECK(static_cast<int>(list.size()) <=
          (limit == kNamedByPasses.end() ? kUsual : limit->second));
  }
}

}  // namespace structure_instructions_test
