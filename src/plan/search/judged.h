// What a search finds.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "plan/price/pricing.h"

namespace mtfc::plan {

/// A layout that was compiled and predicted.
struct Judged {
  Choice choice;
  Price price;
  bool fits = false;
  Choice asked = {};  // the choice with where it is cut left open
};

/// What faster links leave of a bound.
struct Links {
  double computing = 0;  // seconds that no link shortens
  double sums = 0;       // of the bound, seconds of sums over processors, or what may be such
  double least(double bound, double factor) const {
    return std::max(computing, bound - sums + sums / factor);
  }
};

/// Layouts that were not predicted.
struct Excluded {
  /// Which: those of these general rules (and number of stages, if any); of these rules and blocks
  /// with so many micro-batches or more; of a pipeline with so many; or this one alone. A pipeline
  /// stands for all ways to cut it.
  enum class What : std::uint8_t { rules, microbatches, pipeline, layout };
  What what = What::layout;
  Choice choice;
  double seconds = 0;  // none takes less
  double bytes = 0;    // more than the limit: none takes less. 0: `seconds` excludes them
  Links links = {};    // of these seconds
};

struct Plan {
  std::optional<Judged> best;      // the fastest that fits
  std::optional<Judged> smallest;  // the one that takes the least memory
  std::vector<Judged> judged;      // in the order of the search
  std::vector<Excluded> excluded;
  std::size_t illegal = 0;  // sets of general rules with scopes, and variants, that are not legal
  std::size_t whole = 0;    // of those judged: compiled with all iterations
  /// Of these: the largest shares of step and memory from few iterations by which these were off.
  double deviation = 0, memory_deviation = 0;
  double excess = 0;  // the largest share of the step that few iterations said too much
  /// Of pipelines: the largest shares of what few iterations said of the step and of memory that
  /// were too much.
  double pipeline_time_excess = 0, pipeline_memory_excess = 0;
  /// By what share the step of a pipeline, and its memory, may be less than few iterations say:
  /// twice as much as was seen, if that is more than its kind mostly is off.
  double slack_of(const Price& price) const {
    return std::max(price.most_slack, std::min(2 * pipeline_time_excess, 0.95));
  }
  double memory_slack_of(const Price& price) const {
    return std::max(price.most_slack_of_memory, std::min(2 * pipeline_memory_excess, 0.95));
  }
  /// What was not compiled whole is better than the best only if few iterations say more than this
  /// share of its step too much, or memory_weight times that of its memory. 1: there is none.
  double trusted_to = 1;
  double memory_trusted_to() const { return std::min(memory_weight * trusted_to, 1.0); }
  std::size_t open = 0;  // neither predicted nor excluded when time was up
  /// Pipelines that might be faster if they were cut otherwise, as far as the bound on cuts says.
  std::size_t open_cuts = 0;
  /// Meshes with more sets of rules than can be held (plan/search/families.h).
  std::size_t cut_short = 0;
  double bound = 0;          // no layout of the space takes less
  double least_memory = 0;   // more than the limit: no layout of the space takes less. Else 0
  double whole_seconds = 0;  // about what it takes to compile one whole
  bool is_proved() const { return open + open_cuts == 0; }
};

/// Of those judged, at most so many, the fastest first.
std::vector<Choice> fastest_pipelines(const Plan& plan, std::size_t most);

/// Adds a layout with its price, under which what was open of it is decided; of those that are
/// compiled whole and take `memory` bytes at most the fastest is the plan's best.
void keep(Plan& plan, const Choice& choice, Price price, double memory);
/// The one that takes the least memory, of all that were judged.
std::optional<Judged> smallest_of(const Plan& plan);
/// Layouts that few iterations may have said too much of, as they did of others: with what they may
/// take at least. Of pipelines more is left open in the first place.
std::vector<std::pair<double, Choice>> doubtful(const Plan& plan, double memory);
/// How far what few iterations said of a layout is from what it takes whole.
void note_deviation(Plan& plan, const Price& of_few, const Price& whole);

/// Takes out the layout of this choice, cut like that, that is known from few iterations. Nothing:
/// there is none.
std::optional<Price> take_from_few(Plan& plan, const Choice& choice,
                                   const std::optional<Pipeline>& cut = std::nullopt);

}  // namespace mtfc::plan
