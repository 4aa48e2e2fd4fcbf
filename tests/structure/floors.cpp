// Includes point down: src/README of the floors, as a table that fails.
#include <catch2/catch.hpp>

#include <functional>
#include <map>
#include <set>
#include <sstream>

#include "sources.h"

using namespace mtfc::test;

namespace {

/// What each floor may include beside itself. Stages are strangers that meet in ir and ops.
const std::map<std::string, std::set<std::string>> floors = {
    {"support", {}},
    {"sources", {"support"}},
    {"kernels", {"support"}},
    {"comm", {"kernels", "support"}},
    {"data", {"kernels", "sources", "support"}},
    {"train", {"comm", "data", "kernels", "sources", "support"}},
    {"ir", {"sources", "support"}},
    {"ops", {"ir", "support"}},
    {"optim", {"ops", "ir", "support"}},
    {"layout", {"ops", "ir", "support"}},
    {"frontend", {"optim", "ops", "ir", "sources", "support"}},
    {"lowering", {"layout", "optim", "ops", "ir", "support"}},
    {"bind", {"ir", "comm", "kernels", "support"}},
    {"cost", {"bind", "ir", "comm", "kernels", "support"}},
    {"backends", {"cost", "bind", "train", "comm", "kernels", "ir", "sources", "support"}},
    {"plot", {"support"}},
    {"cli",
     {"backends", "plot", "cost", "lowering", "layout", "frontend", "ops", "ir", "train", "data",
      "comm", "kernels", "sources", "support"}},
};

/// The paths of `#include "..."` lines that lie in a floor.
std::vector<std::string> includes(const std::string& text) {
  std::vector<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::string begin = "#include \"";
    if (line.rfind(begin, 0) != 0) continue;
    const std::string path = line.substr(begin.size(), line.find('"', begin.size()) - begin.size());
    if (path.find('/') != path.npos) found.push_back(path);
  }
  return found;
}

std::string first_folder(const std::string& path) { return path.substr(0, path.find('/')); }

}  // namespace

TEST_CASE("includes point down", "[structure]") {
  const auto files = files_below("src", {".h", ".cpp"});
  REQUIRE(files.size() > 50);
  for (const SourceText& file : files) {
    const std::string floor = first_folder(file.path.substr(4));
    INFO(file.path);
    REQUIRE(floors.count(floor) == 1);
    for (const std::string& path : includes(file.text)) {
      const std::string below = first_folder(path);
      INFO("#include \"" << path << "\"");
      CHECK((floors.count(below) == 0 || below == floor || floors.at(floor).count(below) == 1));
    }
  }
}

TEST_CASE("headers do not include each other in circles", "[structure]") {
  std::map<std::string, std::vector<std::string>> graph;
  for (const SourceText& file : files_below("src", {".h"}))
    graph[file.path.substr(4)] = includes(file.text);
  enum class State { unseen, open, done };
  std::map<std::string, State> state;
  const std::function<void(const std::string&)> visit = [&](const std::string& header) {
    INFO(header);
    REQUIRE(state[header] != State::open);
    if (state[header] == State::done || graph.count(header) == 0) return;
    state[header] = State::open;
    for (const std::string& next : graph[header]) visit(next);
    state[header] = State::done;
  };
  for (const auto& [header, below] : graph) visit(header);
}

TEST_CASE("headers are included once", "[structure]") {
  for (const SourceText& file : files_below("src", {".h"})) {
    INFO(file.path);
    CHECK(file.text.find("#pragma once") != file.text.npos);
  }
}
