// What a layout of the space costs on a machine, and what no variant of it can go below. A model
// that repeats blocks is compiled with two small numbers of iterations, and the rest is added as
// often as it has more: iterations are alike.
#pragma once
#include <array>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "plan/price/compile.h"
#include "plan/price/models.h"
#include "plan/price/outline.h"
#include "plan/price/stage_costs.h"
#include "plan/price/submesh_cut.h"
#include "plan/space/examples.h"
#include "plan/space/submeshes.h"
#include "predict/predict.h"

namespace mtfc::plan {

/// What is predicted from few iterations mostly takes no less memory than without this share; what
/// is farther away from fitting is looked at last. Of blocks that are not alike it may take less.
inline constexpr double memory_slack = 0.1, memory_slack_unlike = 0.2;
/// Where stages use what is made in ones that are not beside them: of time as well.
inline constexpr double slack_of_reaching = 0.65;

struct OtherCuts;

/// How much slower than assumed links are looked at: in steps of so much, down to 1/64.
struct SlowerLinks {
  static constexpr int per_octave = 4, octaves = 6;
  static constexpr int steps = per_octave * octaves;
};

/// Seconds of a step and bytes of one processor.
struct Price {
  double step = 0;
  double computing = 0;  // of the step, without waiting for communication
  /// The work on examples (plan/space/examples.h). How parameters are kept, updated and gathered,
  /// and more micro-batches, add to it and take nothing away (docs/plan.md).
  double floor = 0;
  double variables = 0;  // bytes that live from step to step
  double memory = 0;     // bytes in all; of a pipeline in the largest stage
  /// Where a run holds more outside of steps, that is `memory`, and these are what a step holds and
  /// when it is more (cost::MostMemory). Counted of what may be the best.
  double in_steps = 0;
  std::string when = {};
  double evaluation = 0;        // bytes in one, if they were counted with a step's
  bool counts_outside = false;  // these were asked for, if it is compiled whole
  std::array<double, std::tuple_size_v<cost::PhaseBytes>> in_use{};  // without variables
  bool is_whole = true;  // compiled as it is, not added up from few iterations
  double slack = 0;      // else by what share of the step it may be off, and of memory
  double slack_of_memory = memory_slack;
  /// Of a pipeline: by what shares of both before it is left out of a proof.
  double most_slack = 0, most_slack_of_memory = 0;
  /// What the step is the sum of: of few iterations and of one more, as often as there are more.
  struct Share {
    double weight = 1;
    Outline outline;
  };
  std::vector<Share> shares;
  /// In their place, where they would take too much memory: by level the step with slower links
  /// (SlowerLinks); nothing of a level that carries nothing.
  std::array<std::vector<double>, most_levels> slower{};
  bool has_slower = false;
  /// Of a pipeline that was to be cut: where it is best cut, and what any other cut takes at least.
  std::optional<Pipeline> pipeline = {};
  double least = 0;
  std::shared_ptr<const OtherCuts> others = nullptr;  // than what few iterations say is best
  /// Where blocks are computed again: in so many iterations (Choice::recomputed). `likely`: what it
  /// takes if memory is overestimated as far as it mostly is; `least` with any number of them. 0:
  /// `step` is both.
  std::int64_t recomputed = 0;
  double likely = 0;
  /// It does not fit, nor does a faster cut of a pipeline: what is computed again leaves more room.
  bool short_of_memory = false;

  /// Takes these bytes for its memory if they are more.
  void count_outside(double bytes, const std::string& at);
  /// The floor; as far below as prices may be off where stages are no sums over blocks.
  double sure_floor() const { return most_slack > slack ? floor * (1 - most_slack) : floor; }
  double most_in_use() const;  // in any phase
  double holes() const;        // between buffers
  /// The step if the links of one level carry `factor` times as many bytes a second.
  double step_at(std::size_t level, double factor) const;
  /// Whether that is known.
  bool has_step_at(double factor) const { return !shares.empty() || (has_slower && factor <= 1); }
  /// Gives up the shares; what slower links make of them is kept.
  void keep_slower();
};
/// Ways to cut the same pipeline, as in Cuts (plan/price/cut.h).
struct OtherCuts {
  std::vector<Price> near, far;
  double beyond = std::numeric_limits<double>::infinity(), further = 1;
  std::vector<Unpriced> unpriced = {};
};

/// Added up from few iterations.
Price price_of(const Cut& cut);

/// Where the stages of a pipeline lie; nothing if the machine is too small.
std::optional<predict::MappedStages> mapped_stages(const Choice& choice,
                                                   const predict::Machine& machine);

/// Where its stages lie, or, without a pipeline, its mesh; none if the machine is too small.
std::vector<predict::Mapping> mappings_of(const Choice& choice, const predict::Machine& machine);

/// The price of the best cut, with those of the others. `set_cut(pipeline, found)`: where it is
/// cut.
template <class Problem, class Found, class SetCut>
Price with_near(const Problem& problem, const Cuts<Found>& cuts, const Pipeline& open,
                const SetCut& set_cut) {
  const bool all = cut_of(cuts.best).all;
  const Margin& margin = problem.margin;
  // These are as far off as prices are where stages are no sums over blocks.
  const double sure = margin.at_most.step > margin.mostly.step ? 1 - margin.at_most.step : 1;
  const double computing = sure * least_step(problem, Seconds::computing);
  const double floor = least_step(problem, Seconds::floor);
  const double least = all ? 0 : sure * least_step(problem, Seconds::all);
  const auto priced_as = [&](const Found& found) {
    Price price = price_of(cut_of(found));
    price.slack = margin.mostly.step;
    price.slack_of_memory = margin.mostly.memory;
    price.most_slack = margin.at_most.step;
    price.most_slack_of_memory = margin.at_most.memory;
    price.computing = computing;
    price.floor = floor;
    price.least = all ? price.step : std::min(price.step, least);
    price.pipeline = open;
    price.pipeline->blocks = cut_of(found).blocks;
    price.pipeline->schedule = cut_of(found).schedule;
    set_cut(*price.pipeline, found);
    return price;
  };
  OtherCuts others{{}, {}, cuts.beyond, cuts.further};
  if (!all) others.unpriced = unpriced_of(problem);
  for (const Found& one : cuts.near) others.near.push_back(priced_as(one));
  for (const Found& one : cuts.far) others.far.push_back(priced_as(one));
  Price price = priced_as(cuts.best);
  price.others = std::make_shared<const OtherCuts>(std::move(others));
  return price;
}

class Pricer {
 public:
  Pricer(const Models& models, const SourceMap& sources, const predict::Machine& machine,
         Layout given, Submeshes submeshes = {});

  /// All iterations compiled: what `mtfc cost` says. Nothing if the layout is not legal, its mesh
  /// does not fit on the machine, or the model cannot have so many micro-batches.
  std::optional<Price> whole(const Choice& choice);
  /// From few iterations, if the model has many. A pipeline that is not cut is cut where it is the
  /// fastest that takes `memory` bytes at most; what is computed again without a number of
  /// iterations is in as few as take no more.
  std::optional<Price> predicted(const Choice& choice, double memory);
  /// The same layout with all iterations compiled, computed again in so many that it takes `memory`
  /// bytes at most: in the number that is the fastest; of many iterations in one with which it does
  /// and with one less does not, or in all. If none does, the smallest that was looked at. `found`:
  /// about what that is.
  std::optional<Price> whole_within(const Choice& choice, const Price& found, double memory);

  /// Of one that is compiled whole: counts what a run holds outside of steps, too.
  void count_beside_step(const Choice& choice, Price& price);
  /// The same of a pipeline as it is cut.
  std::optional<Price> estimated(const Choice& choice);
  /// Models that were compiled whole, but for those of pipelines.
  int whole_ones() const { return whole_ones_; }
  /// Iterations that `predicted` compiles, of all.
  double few_share(const Choice& choice) const;

 private:
  std::optional<Price> price(Compiler& compiler, const Choice& choice, const Model* model) const;
  std::optional<Price> looked_at(const Choice& choice, double memory);
  /// By what few iterations may be off. `reaches_over`: stages (plan/price/stage_figures.h).
  static Margin margin_of(const Choice& choice, bool reaches_over);
  /// Without a pipeline: whole, or from few iterations.
  std::optional<Price> of_iterations(const Choice& choice);
  std::optional<Price> recomputed(const Choice& choice, double memory);
  std::optional<Price> whole_pipeline(const Choice& choice);
  std::optional<Price> cut_in_all_ways(const Choice& choice, double memory);
  std::optional<Price> cut_by_few(const Choice& choice, double memory);
  std::optional<Price> cut_into_submeshes(const Choice& choice, double memory);
  std::optional<Price> cut_block_by_block(const Choice& choice, double memory);
  /// Those in several chunks, compiled whole: beside `best`, or instead of it.
  void add_interleaved(const Choice& choice, double memory, Price& best);
  std::optional<Price> best_cut_of(SubmeshProblem problem, const Choice& choice,
                                   const std::vector<Mesh>& meshes);
  std::optional<Price> estimated_on_submeshes(const Choice& choice);
  /// A pipeline like this one, cut into stages of so many iterations.
  std::optional<CompiledPipeline> cut_as(Compiler& compiler, const Choice& choice,
                                         const std::vector<std::int64_t>& blocks) const;
  std::optional<StageCosts> stage_costs(const Choice& choice, const predict::MappedStages& mapped);
  /// Whatever its blocks are; null: the layout is not legal.
  std::unique_ptr<BlockCosts> block_costs(const Choice& choice,
                                          const predict::MappedStages& mapped);
  /// Of stages with this submesh; null: the layout is not legal there.
  const BlockCosts* costs_on(const Choice& choice, const Mesh& submesh);

  const Models& models_;
  const predict::Machine& machine_;
  const Layout given_;
  const Submeshes submeshes_;
  Compiler compiler_, one_more_;  // of models with one iteration more
  std::map<std::string, std::unique_ptr<BlockCosts>> on_submeshes_;  // by what is compiled
  std::map<std::string, std::optional<Price>> kept_;  // of what computes nothing again
  int whole_ones_ = 0;
  ExampleNames examples_;
};

}  // namespace mtfc::plan
