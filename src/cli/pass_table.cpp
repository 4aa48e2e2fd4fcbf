#include "cli/pass_table.h"

#include <fmt/core.h>

#include "cost/cost.h"
#include "lowering/pipeline.h"
#include "lowering/spmd/resolve_step.h"
#include "support/figures.h"
#include "support/program_names.h"

namespace mtfc::cli {
namespace {

/// A row for each pass over programs: what is communicated after it.
class PassTable {
 public:
  explicit PassTable(const SourceMap& sources) : sources_(sources) {}

  void add(const std::string& pass, const Module& module) {
    const Program* program = module.find(program_names::run);
    const bool step = !module.step.empty();
    if (!step && program == nullptr) return;
    const backends::Cost cost = step ? backends::cost_of_step(module, sources_)
                                     : backends::cost_of(module, *program, sources_);
    add_row(pass, cost.collectives.size(),
            scaled(static_cast<double>(cost.moved_per_processor()), "B"),
            static_cast<double>(cost.sent_per_processor()));
  }
  /// Of all passes over programs.
  void add_all(const Model& model, const Assignment& assignment) {
    lowering::State state = lowering::start(model, assignment, {});
    for (const lowering::Pass& pass : lowering::passes()) {
      if (pass.stage == lowering::PassStage::programs && text_.empty()) add_resolved(state);
      lowering::run(pass, state);
      if (pass.stage == lowering::PassStage::programs) add(pass.name, state.made.module);
    }
  }
  std::string text() const {
    return "\n" + fmt::format(kRow, "after pass", "collectives", "moved", "sent") + text_;
  }

 private:
  /// What the operations need one by one, found without a program.
  void add_resolved(const lowering::State& state) {
    if (state.step.empty()) return;
    const lowering::ResolvedStep step = lowering::resolve_step(state);
    add_row("(each operation)", static_cast<std::size_t>(step.collectives), "", step.sent_bytes);
  }
  void add_row(const std::string& pass, std::size_t collectives, const std::string& moved,
               double sent) {
    text_ += fmt::format(kRow, pass, collectives, moved, scaled(sent, "B"));
  }

  static constexpr const char* kRow = "  {:<22} {:>11} {:>12} {:>12}\n";
  const SourceMap& sources_;
  std::string text_;
};

}  // namespace

std::string pass_table(const SourceMap& sources, const Model& model, const Assignment& assignment) {
  PassTable table(sources);
  table.add_all(model, assignment);
  return table.text();
}

}  // namespace mtfc::cli
