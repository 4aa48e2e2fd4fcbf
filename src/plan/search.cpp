#include "plan/search.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <set>

#include "cost/cost.h"
#include "layout/assignment.h"
#include "layout/axis_conflicts.h"
#include "lowering/pipeline.h"
#include "predict/kernel_time.h"
#include "predict/predict.h"

namespace mtfc::plan {
namespace {

/// What a layout costs, and how its mesh lies on the machine.
struct Compiled {
  backends::Cost cost;
  predict::Mapping mapping;
};

/// Nothing: it is not legal, or its mesh does not fit on the machine.
std::optional<Compiled> compiled(const Choice& choice, const Model& model, const SourceMap& sources,
                                 const predict::Machine& machine) {
  Diagnostics silent;
  const std::optional<Assignment> assignment =
      lowering::resolve(layout_of(choice), std::nullopt, model, sources, silent);
  if (!assignment || !lowering::is_legal(model, *assignment)) return std::nullopt;
  std::optional<predict::Mapping> mapping = predict::map_mesh(choice.mesh, machine);
  if (!mapping) return std::nullopt;
  const Module module = lowering::lower(model, *assignment, {});
  return Compiled{backends::cost_of_step(module, sources, machine.chip.detail()),
                  std::move(*mapping)};
}

/// Seconds of a step that products take at least, whatever bounds them. How parameters are kept
/// changes what is gathered before, and of a product only what a cache holds.
double product_seconds(const Compiled& made, const predict::Machine& machine) {
  double seconds = 0;
  for (const backends::ProgramWork& program : made.cost.work)
    for (const backends::Work& work : program.instructions)
      if (work.kind == backends::Work::Kind::product)
        seconds += predict::least_seconds(work, machine.chip) * static_cast<double>(program.times);
  return seconds;
}

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

  /// Every legal set of general rules, first those that split over the most processors: products
  /// that are split over fewer take longer, however good the rest is.
  void rules() {
    struct Candidate {
      Choice choice;
      double bound;
    };
    std::vector<Candidate> all;
    const double alone = alone_seconds();
    for (const Mesh& mesh : space_.meshes)
      for (std::vector<Split>& rules : legal_rules(space_, mesh, model_.dims)) {
        const double bound = alone / static_cast<double>(used_processors(mesh, rules));
        all.push_back({{mesh, std::move(rules), {}}, bound});
      }
    std::stable_sort(all.begin(), all.end(),
                     [](const Candidate& a, const Candidate& b) { return a.bound < b.bound; });
    for (const Candidate& one : all) look_at(one.choice, one.bound);
  }

  /// What the products of a step take of one processor at least, at the chip's peak.
  double alone_seconds() const {
    const std::optional<Compiled> made = compiled({}, model_, sources_, machine_);
    if (!made) return 0;
    return predict::predict(made->cost, machine_, made->mapping).peak_all /
           machine_.chip.efficiency;
  }

  static std::int64_t used_processors(const Mesh& mesh, const std::vector<Split>& rules) {
    std::set<std::string> used;
    for (const Split& split : rules) used.insert(split.axes.begin(), split.axes.end());
    std::int64_t processors = 1;
    for (const MeshAxis& axis : mesh.axes)
      if (used.contains(axis.name)) processors *= axis.size;
    return processors;
  }

  /// A layout that takes at least `bound` seconds.
  void look_at(Choice choice, double bound) {
    if (plan_.best && bound >= plan_.best->step) {
      plan_.excluded.push_back(std::move(choice));
      plan_.bounds.push_back(bound);
    } else if (time_is_up()) {
      open_.push_back(bound);
    } else {
      take(choice);
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
        look_at(std::move(choice), base.bound);
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

}  // namespace

std::optional<Judged> judge(const Choice& choice, const Model& model, const SourceMap& sources,
                            const predict::Machine& machine, double memory) {
  const std::optional<Compiled> made = compiled(choice, model, sources, machine);
  if (!made) return std::nullopt;
  const predict::Prediction found = predict::predict(made->cost, machine, made->mapping);
  return Judged{choice, found.step, product_seconds(*made, machine), found.memory_needed,
                found.memory_needed <= memory};
}

Plan search(const Space& space, const Model& model, const SourceMap& sources,
            const predict::Machine& machine, const Limits& limits) {
  return Search(space, model, sources, machine, limits).run();
}

}  // namespace mtfc::plan
