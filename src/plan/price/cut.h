// Where a pipeline is best cut: how many iterations each stage has, the schedule, and in how many
// chunks the stages go.
#pragma once
#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "ir/layout.h"
#include "plan/price/stage_costs.h"

namespace mtfc::plan {

/// By what shares what is added up from few iterations may be off.
struct Share {
  double step = 0, memory = 0;
};
/// Mostly; and of what is to be proved.
struct Margin {
  Share mostly = {}, at_most = {};
};

struct CutProblem {
  const StageCosts& costs;
  int stages = 2;
  std::int64_t iterations = 2, microbatches = 1;
  double memory = 0;  // bytes that a processor may hold
  Margin margin = {};
};

struct Cut {
  std::vector<std::int64_t> blocks;  // iterations of each stage, at least one
  Schedule schedule = Schedule::one_f_one_b;
  int chunks = 1;                              // of each stage, all alike
  double step = 0, memory = 0, variables = 0;  // seconds; bytes of the largest stage
  bool all = false;                            // every other one was looked at
  bool short_of_memory = false;                // the fastest of them does not fit
};

/// The most micro-batches that a stage of `1f1b` or `gpipe` holds at once.
std::int64_t in_flight(Schedule schedule, int stages, int stage, std::int64_t microbatches);

/// As `mtfc cost` would price it, but for what differs between iterations.
Cut priced(const CutProblem& problem, std::vector<std::int64_t> blocks, Schedule schedule,
           int chunks = 1);

/// Memory from few iterations is mostly farther off than time: so many times as far counts alike.
constexpr double memory_weight = 2;
/// What they would have to say more than this share too much of is not looked at.
constexpr double furthest_share = 0.4;

/// Of what is priced from few iterations: by what share they say too much of the step, or by
/// `memory_weight` times that share of memory, if it is to be the best. `best`: seconds of that,
/// infinite if nothing fits.
inline double share_too_much(double step, double memory, double best, double limit) {
  const double of_step = step > best ? 1 - best / step : 0;
  return std::max(of_step, memory > limit ? (1 - limit / memory) / memory_weight : 0);
}

/// What was not priced: what few iterations say takes up to memory_weight times this share more
/// memory than there is takes at least so many seconds; infinite: there is none.
struct Unpriced {
  double share = 0, least = 0;
};

/// The best one; it and others that may be it within the margin, or instead of it if it turns out
/// not to fit, the fastest first.
template <class Found>
struct Cuts {
  Found best;
  std::vector<Found> near = {};
  /// Of the rest those for which few iterations have to be off least.
  std::vector<Found> far = {};
  /// Of what is in neither: seconds of the fastest, and the share by which few iterations have to
  /// be off.
  double beyond = std::numeric_limits<double>::infinity();
  double further = 1;
};

/// Of what has no list, where not all was priced.
template <class Problem>
std::vector<Unpriced> unpriced_of(const Problem& problem) {
  std::vector<Unpriced> all;
  for (const double share :
       {problem.margin.at_most.memory / memory_weight, 0.5 * furthest_share, furthest_share})
    if (all.empty() || share > all.back().share)
      all.push_back({share, least_within(problem, problem.memory / (1 - memory_weight * share))});
  return all;
}

/// The fastest of those that are looked at and fit: all, if there are few; else those that keep
/// every stage below the least load that goes with memory. All that interleave, in any case. If
/// none fits, the even one.
Cuts<Cut> best_cuts(const CutProblem& problem);

/// All ways to give each stage at least one iteration; nothing if they are more than `most`.
std::optional<std::vector<std::vector<std::int64_t>>> all_cuts(std::int64_t iterations, int stages,
                                                               std::size_t most);

/// Faster by more than the order in which seconds are added up makes.
inline bool is_faster(double step, double than) { return step * (1 + 1e-12) < than; }

/// The faster one, of equally fast ones that which holds less. Of cuts and of prices.
template <class Found>
bool is_faster_or_smaller(const Found& one, const Found& other) {
  if (is_faster(one.step, other.step)) return true;
  return !is_faster(other.step, one.step) && one.memory < other.memory;
}

/// What fits comes first, then what is faster; of what does not fit, what is smaller. Of cuts and
/// of prices.
template <class Found>
bool is_preferred(const Found& one, const Found& other, double memory) {
  const bool fits = one.memory <= memory;
  if (fits != (other.memory <= memory)) return fits;
  return fits ? is_faster_or_smaller(one, other)
              : std::pair(one.memory, one.step) < std::pair(other.memory, other.step);
}

/// Which seconds of a stage count.
enum class Seconds { all, computing, floor };
/// Of both passes.
double seconds_of(const StageFigures& stage, Seconds which);
/// (m - 1) t - w f, as below, of a stage with so many behind it.
double load_of(const StageFigures& stage, int behind, std::int64_t microbatches, Seconds which);

inline const Cut& cut_of(const Cut& found) { return found; }
inline Cut& cut_of(Cut& found) { return found; }

/// `best`: seconds of the best that fits, if any.
template <class Found>
void set_far(Cuts<Found>& cuts, std::vector<Found> rest, double best, double memory) {
  constexpr std::size_t most = 256;
  const auto share = [&](const Found& one) {
    return share_too_much(cut_of(one).step, cut_of(one).memory, best, memory);
  };
  std::stable_sort(rest.begin(), rest.end(),
                   [&](const Found& a, const Found& b) { return share(a) < share(b); });
  for (std::size_t i = most; i < rest.size(); ++i) {
    cuts.further = std::min(cuts.further, share(rest[i]));
    cuts.beyond = std::min(cuts.beyond, cut_of(rest[i]).step);
  }
  rest.resize(std::min(rest.size(), most));
  cuts.far = std::move(rest);
}

/// Of what was priced; the best is one of them, since another one may take its place.
template <class Found>
void set_near(Cuts<Found>& cuts, std::vector<Found> priced, double memory, const Margin& margin) {
  constexpr std::size_t fewest = 16, most = 64;
  const Cut best = cut_of(cuts.best);
  const bool fits = best.memory <= memory;
  std::vector<Found> rest;
  for (Found& one : priced) {
    const Cut& cut = cut_of(one);
    const bool may_fit = cut.memory * (1 - margin.at_most.memory) <= memory;
    (may_fit ? cuts.near : rest).push_back(std::move(one));
  }
  std::stable_sort(cuts.near.begin(), cuts.near.end(),
                   [](const Found& a, const Found& b) { return cut_of(a).step < cut_of(b).step; });
  const auto within = std::count_if(cuts.near.begin(), cuts.near.end(), [&](const Found& one) {
    return !fits || cut_of(one).step * (1 - margin.at_most.step) < best.step;
  });
  const std::size_t kept = std::clamp(static_cast<std::size_t>(within), fewest, most);
  if (cuts.near.size() > kept) {
    std::move(cuts.near.begin() + static_cast<std::ptrdiff_t>(kept), cuts.near.end(),
              std::back_inserter(rest));
    cuts.near.resize(kept);
  }
  set_far(cuts, std::move(rest), fits ? best.step : std::numeric_limits<double>::infinity(),
          memory);
}

/// Seconds of the passes. Once all stages work, one micro-batch more takes the same time again (or
/// interleaved, one for each stage).
std::int64_t timed_microbatches(int stages, std::int64_t microbatches);  // for `span`, at most
double span(pipeline::Shape shape, const std::vector<pipeline::StageTimes>& times,
            const std::vector<pipeline::Send>& sends);

/// No cut takes fewer seconds, whatever it holds, with any schedule. With t_j = f_j + b_j the
/// seconds of stage j of p for one of m micro-batches and w_j = min(p - 1 - j, m - 1) forward
/// passes before its first backward pass, 1f1b takes at least
///
///   sum_j t_j + max_j ((m - 1) t_j - w_j f_j):
///
/// the first micro-batch goes through all stages and back; between its backward pass at stage j
/// and that of the last one stage j has all its other passes to do but w_j forward ones. gpipe
/// takes as long or longer. The sum is the same for all cuts, so that the least maximum is sought.
/// Interleaved, with t_cj of chunk c of stage j, at least
///
///   max_j (sum_{i<j} t_0i + m sum_c t_cj):
///
/// stage j begins when the first micro-batch has come through the first chunks of those before it,
/// and what it computes last, for its own first chunk, still goes back through these.
double least_step(const CutProblem& problem, Seconds which);
/// Of those in one chunk whose stages take so many bytes at most; infinite: there are none.
double least_within(const CutProblem& problem, double memory);
/// Nor does this cut, by its virtual stages (pipeline/schedule.h), of so many chunks.
double least_step(const std::vector<StageFigures>& virtual_stages, int chunks,
                  std::int64_t microbatches, Seconds which);

}  // namespace mtfc::plan
