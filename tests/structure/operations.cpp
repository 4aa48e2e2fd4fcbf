// The operation table: every operation is met by some program of tests/ and models/, or by its
// gradient; every one is in the documentation.
#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "frontend/elaborate/elaborate.h"
#include "lowering/graph/generation/derive_generation.h"
#include "lowering/graph/microbatch/split_batch.h"
#include "lowering/state_text.h"
#include "ops/op.h"
#include "sources.h"

namespace structure_operations_test {

using namespace mtfc;
using namespace mtfc::test;

namespace {

void collect(const Graph& graph, std::set<std::string>& met) {
  for (const Operation& op : graph.ops) met.insert(op.op);
}

/// The words behind " = " in dumps of graphs: gradients and updates are only seen there.
void collect(const std::string& dump, std::set<std::string>& met) {
  const std::string before = " = ";
  for (std::size_t i = dump.find(before); i != dump.npos; i = dump.find(before, i + 1)) {
    const std::size_t begin = i + before.size();
    met.insert(dump.substr(begin, dump.find_first_of(" \n(", begin) - begin));
  }
}

void run(const SourceText& program, std::set<std::string>& met) {
  SourceMap sources;
  Diagnostics diagnostics;
  const std::string path = std::string(MTFC_SOURCE_DIR) + "/" + program.path;
  auto model = elaborate(sources, sources.add(path, program.text), {}, diagnostics);
  if (!model || !lowering::split_batch(*model, diagnostics)) return;  // tests of diagnostics
  for (const Graph* graph : {&model->init, &model->train, &model->eval}) collect(*graph, met);
  Assignment whole;
  whole.dims.resize(model->dims.size());
  const auto collect_all = [&](const lowering::Request& request) {
    lowering::State state = lowering::start(*model, whole, request);
    for (const lowering::Pass& pass : lowering::passes()) {
      lowering::run(pass, state);
      collect(lowering::print(state, pass), met);
    }
  };
  if (model->generation) {
    lowering::Request generation;
    const auto windows = lowering::generation_windows(*model, whole);
    generation.generation =
        lowering::GenerationRequest{!lowering::find_obstacle(*model), false, windows};
    generation.whole_batch = true;
    collect_all(generation);
  }
  if (!model->settings.present && model->train.outputs.empty()) return;
  lowering::Request request;
  collect_all(request);  // a step; with names it is a program without one
  request.gradients = true;
  for (const Value& value : model->eval.values)
    if (!value.name.empty()) request.tensors.push_back(value.name);
  collect_all(request);
}

bool all_are(const std::set<std::string>& met) {
  const std::vector<const ops::OpDef*> all = ops::all_ops();
  return std::all_of(all.begin(), all.end(),
                     [&](const ops::OpDef* op) { return met.count(std::string(op->name)) == 1; });
}

}  // namespace

TEST_CASE("every operation is exercised by some program", "[structure]") {
  std::set<std::string> met;
  for (const char* folder : {"tests", "models"})
    for (const SourceText& program : files_below(folder, {".mtf"}))
      if (program.path.find("/errors/") == program.path.npos && !all_are(met)) run(program, met);
  for (const ops::OpDef* op : ops::all_ops()) {
    INFO(op->name);
    CHECK(met.count(std::string(op->name)) == 1);
  }
}

TEST_CASE("docs/ops.md lists the operations of programs", "[structure]") {
  std::ifstream file(std::string(MTFC_SOURCE_DIR) + "/docs/ops.md");
  std::stringstream page;
  page << file.rdbuf();
  std::string text = page.str(), wanted = "| operation | |\n|---|---|\n";
  text.erase(0, text.find(wanted));
  for (const ops::OpDef* op : ops::all_ops()) {
    wanted += "| `" + std::string(op->name) + "` | ";
    for (char c : op->summary) wanted += c == '|' ? "\\|" : std::string(1, c);
    wanted += " |\n";
  }
  CHECK(text == wanted);
}

TEST_CASE("an operation is composite or has a local form", "[structure]") {
  for (const ops::OpDef* op : ops::all_ops()) {
    INFO(op->name);
    CHECK(bool{op->expand} != bool{op->local});
  }
}

}  // namespace structure_operations_test
