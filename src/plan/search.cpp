#include "plan/search.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "cost/cost.h"
#include "layout/assignment.h"
#include "layout/axis_conflicts.h"
#include "lowering/pipeline.h"
#include "predict/timeline.h"

namespace mtfc::plan {
namespace {

class Search {
 public:
  Search(const Space& space, const Model& model, const SourceMap& sources,
         const predict::Machine& machine, const Limits& limits)
      : space_(space), model_(model), sources_(sources), machine_(machine), limits_(limits) {}

  Plan run() {
    rules();
    kept();
    plan_.bound = plan_.best ? plan_.best->step : std::numeric_limits<double>::infinity();
    for (const double bound : open_) plan_.bound = std::min(plan_.bound, bound);
    plan_.open = open_.size();
    return std::move(plan_);
  }

 private:
  bool time_is_up() const {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start_;
    return taken.count() > limits_.seconds;
  }

  /// Every legal set of general rules.
  void rules() {
    for (const Mesh& mesh : space_.meshes)
      for (std::vector<Split>& rules : legal_rules(space_, mesh, model_.dims)) {
        const Choice choice{mesh, std::move(rules), {}};
        if (!time_is_up())
          take(choice);
        else
          open_.push_back(0);
      }
  }

  /// And every way to keep its parameters, where that may still win: the fastest products first.
  void kept() {
    std::vector<Judged> bases = plan_.judged;
    std::stable_sort(bases.begin(), bases.end(),
                     [](const Judged& a, const Judged& b) { return a.bound < b.bound; });
    for (const Judged& base : bases)
      for (const Split& way : ways_to_keep(space_, base.choice.mesh, model_.dims)) {
        Choice choice = base.choice;
        choice.kept = {way};
        if (plan_.best && base.bound >= plan_.best->step) {
          plan_.excluded.push_back(std::move(choice));
          plan_.bounds.push_back(base.bound);
        } else if (time_is_up()) {
          open_.push_back(base.bound);
        } else {
          take(choice);
        }
      }
  }

  void take(const Choice& choice) {
    std::optional<Judged> judged = judge(choice, model_, sources_, machine_, limits_.memory);
    if (!judged) {
      ++plan_.illegal;
      return;
    }
    if (judged->fits && (!plan_.best || judged->step < plan_.best->step)) plan_.best = judged;
    if (!plan_.smallest || judged->memory < plan_.smallest->memory) plan_.smallest = judged;
    plan_.judged.push_back(std::move(*judged));
  }

  const Space& space_;
  const Model& model_;
  const SourceMap& sources_;
  const predict::Machine& machine_;
  const Limits& limits_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  Plan plan_;
  std::vector<double> open_;  // bounds of what is neither predicted nor excluded
};

/// Seconds of a step that products take, whatever bounds them. How parameters are kept changes what
/// is gathered before, and nothing of a product.
double product_seconds(const backends::Cost& cost, const predict::Machine& machine,
                       const predict::Mapping& mapping) {
  double seconds = 0;
  for (const backends::ProgramWork& program : cost.work) {
    const std::vector<predict::Timed> timed =
        predict::timeline(program.instructions, machine, mapping);
    for (std::size_t i = 0; i < timed.size(); ++i)
      if (program.instructions[i].kind == backends::Work::Kind::product)
        seconds += timed[i].seconds() * static_cast<double>(program.times);
  }
  return seconds;
}

}  // namespace

std::optional<Judged> judge(const Choice& choice, const Model& model, const SourceMap& sources,
                            const predict::Machine& machine, double memory) {
  Diagnostics silent;
  const std::optional<Assignment> assignment =
      lowering::resolve(layout_of(choice), std::nullopt, model, sources, silent);
  if (!assignment || !lowering::is_legal(model, *assignment)) return std::nullopt;
  const std::optional<predict::Mapping> mapping = predict::map_mesh(choice.mesh, machine);
  if (!mapping) return std::nullopt;
  const Module module = lowering::lower(model, *assignment, {});
  const backends::Cost cost = backends::cost_of_step(module, sources);
  const predict::Prediction found = predict::predict(cost, machine, *mapping);
  return Judged{choice, found.step, product_seconds(cost, machine, *mapping), found.memory_needed,
                found.memory_needed <= memory};
}

Plan search(const Space& space, const Model& model, const SourceMap& sources,
            const predict::Machine& machine, const Limits& limits) {
  return Search(space, model, sources, machine, limits).run();
}

}  // namespace mtfc::plan
