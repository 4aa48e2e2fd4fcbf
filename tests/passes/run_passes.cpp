// What each pass makes of small models, as text: PASS/NAME.mtf is a model whose first lines say how
// it is laid out (`# mesh a=2`, `# rules batch:a`, `# options shard-update`); NAME.before is the
// state before the pass and NAME.after the state after it. With --update both are written anew.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "frontend/elaborate/elaborate.h"
#include "frontend/layout/parse_layout.h"
#include "layout/assignment.h"
#include "lowering/state_text.h"

using namespace mtfc;
using lowering::Pass;
using lowering::State;
namespace fs = std::filesystem;

namespace {

std::string read(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The lines after "# key" in the text's comments.
std::string directive(const std::string& text, const std::string& key) {
  std::istringstream lines(text);
  std::string found;
  for (std::string line; std::getline(lines, line);)
    if (line.rfind("# " + key + " ", 0) == 0) found += line.substr(key.size() + 3) + "\n";
  return found;
}

Assignment assignment_of(const Model& model, const std::string& text) {
  std::string layout_text = directive(text, "rules");
  if (const std::string mesh = directive(text, "mesh"); !mesh.empty())
    layout_text = "mesh " + mesh + layout_text;
  SourceMap sources;
  Diagnostics diagnostics;
  const auto layout = parse_layout(sources, sources.add("case.layout", layout_text), diagnostics);
  auto assignment = layout ? lowering::resolve(*layout, {}, model, diagnostics) : std::nullopt;
  if (!assignment) {
    std::cerr << "the layout of this case is wrong:\n" << layout_text;
    std::exit(2);
  }
  std::istringstream options(directive(text, "options"));
  for (std::string option; options >> option;) {
    if (option == "recompute-scores") assignment->options.recompute_scores = true;
    if (option == "shard-update") assignment->options.shard_update = true;
    if (option == "compress-gradients") assignment->options.compress_gradients = true;
    if (option == "library-reductions") assignment->options.library_reductions = true;
  }
  return std::move(*assignment);
}

/// Where things come from is not what this is about.
void strip(State& s) {
  const auto strip_all = [](auto& list) {
    for (auto& item : list) item.origin = {};
  };
  for (Graph* g : {&s.model.init, &s.model.train, &s.model.eval, &s.model.microbatch.graph})
    strip_all(g->ops);
  for (Graph& graph : s.made.graphs) strip_all(graph.ops);
  for (Program& program : s.made.module.programs) strip_all(program.instructions);
}

struct Case {
  fs::path path;  // without its extension
  const Pass* pass;
};

class Runner {
 public:
  explicit Runner(bool update) : update_(update) {}

  void run(const Case& c) {
    const std::string text = read(c.path.string() + ".mtf");
    SourceMap sources;
    Diagnostics diagnostics;
    auto model =
        elaborate(sources, sources.add(c.path.filename().string() + ".mtf", text), {}, diagnostics);
    if (!model) return fail(c, "the model has mistakes");
    if (!lowering::run_before_layout(*model, {}, diagnostics)) return fail(c, "it is not split");
    const State begin = lowering::start(*model, assignment_of(*model, text), {});
    State s = begin;
    const Pass* last = nullptr;
    for (const Pass* pass = &lowering::passes().front(); pass != c.pass; last = pass++)
      lowering::run(*pass, s);
    strip(s);
    const std::string before = last ? lowering::print(s, *last) : "";
    if (last) compare(c, ".before", before);
    const StageCut cut = s.cut;
    lowering::run(*c.pass, s);
    strip(s);
    const std::string after = lowering::print(s, *c.pass);
    compare(c, ".after", after);
    if (std::string error = lowering::verify(s, c.pass->stage); !error.empty()) fail(c, error);
    if (last && rerun(c, begin, cut, before) != after)
      fail(c, "from its text the pass makes another");
  }

  int finish() const {
    std::cout << cases_ << " cases, " << failures_ << " failed\n";
    return failures_ == 0 && cases_ > 0 ? 0 : 1;
  }
  void count() { ++cases_; }
  void fail(const Case& c, const std::string& why) {
    std::cout << c.path.string() << ": " << why << "\n";
    ++failures_;
  }

 private:
  /// The pass on what the text says. It does not say how a pipeline is cut.
  std::string rerun(const Case& c, const State& begin, const StageCut& cut,
                    const std::string& before) {
    State s = begin;
    s.cut = cut;
    std::string error;
    if (!lowering::read_state(before, s, error)) return error;
    lowering::run(*c.pass, s);
    strip(s);
    return lowering::print(s, *c.pass);
  }

  void compare(const Case& c, const std::string& extension, const std::string& text) {
    const std::string path = c.path.string() + extension;
    if (read(path) == text) return;
    if (!update_)
      return fail(c, extension + " is another; run again with --update and see the diff");
    std::ofstream(path) << text;
    std::cout << "wrote " << path << "\n";
  }

  const bool update_;
  int cases_ = 0, failures_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const bool update = argc > 1 && std::string(argv[1]) == "--update";
  Runner runner(update);
  const fs::path folder = fs::path(MTFC_SOURCE_DIR) / "tests" / "passes";
  for (const Pass& pass : lowering::passes()) {
    std::vector<fs::path> models;
    if (fs::exists(folder / pass.name))
      for (const auto& entry : fs::directory_iterator(folder / pass.name))
        if (entry.path().extension() == ".mtf") models.push_back(entry.path());
    std::sort(models.begin(), models.end());
    if (models.empty()) runner.fail({folder / pass.name, &pass}, "the pass has no case");
    for (fs::path model : models) {
      runner.count();
      runner.run({model.replace_extension(), &pass});
    }
  }
  return runner.finish();
}
