// A name of a file says one thing: no two rooms have files of one stem but for the same idea.
#include <catch2/catch.hpp>

#include "include_graph.h"

namespace structure_stems_test {

using namespace mtfc::test;

namespace {

/// Stems that several rooms have, with the idea that they share.
const std::map<std::string, std::string> same_idea = {
    {"blockwise", "operations along a split dimension: the pass, and what they have in common"},
    {"collectives", "how they are bound, and how they run"},
    {"combine", "how elements are combined: what it is, and its loops"},
    {"samples", "random values: how they are written, and their loops"},
    {"generate", "the block of a model, and the loop that runs it"},
    {"scaling", "how a step scales with a mesh axis: as numbers, and drawn"},
    {"loss_scale", "how it is asked for, and the pass that carries it out"},
    {"tiled", "one tile after the other: the instruction with its kernel, and how it is bound"},
    {"table", "rows: of a source, of operations, of an instruction set's loops"},
    {"utf8", "reading it with and without trust"},
};

/// Those that mean different things, and should not.
const std::set<std::string> homonyms = {"literals", "rules", "text"};

/// An operation, its instruction and its kernel have one name; a command that of what it runs.
std::string owner_of(const std::string& path) {
  const std::string folder = folder_of(path);
  if (folder == "ir/instr" || folder == "kernels" || folder == "ops") return "operations";
  return room_of(path);
}

}  // namespace

TEST_CASE("files of one name in different rooms are the same idea", "[structure]") {
  std::map<std::string, std::set<std::string>> owners;
  for (const auto& [path, included] : include_graph())
    if (room_of(path) != "cli")
      owners[unit_of(path.substr(path.rfind('/') + 1))].insert(owner_of(path));
  for (const auto& [stem, of] : owners) {
    INFO(stem);
    CHECK((of.size() > 1) == (same_idea.count(stem) + homonyms.count(stem) > 0));
  }
  for (const auto& [stem, idea] : same_idea) CHECK(owners.count(stem) == 1);
  for (const std::string& stem : homonyms) CHECK(owners.count(stem) == 1);
}

}  // namespace structure_stems_test
