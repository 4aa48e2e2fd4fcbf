#include "plan/price/cut.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "layout/stages.h"
#include "pipeline/task_times.h"

namespace mtfc::plan {
namespace {

using Blocks = std::vector<std::int64_t>;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// The most iterations, up to all, with which an affine figure is at most `limit`; 0: not one.
std::int64_t most_within(double at_one, double each, double limit, std::int64_t all) {
  if (at_one > limit) return 0;
  if (each <= 0) return all;
  const double more = std::floor((limit - at_one) / each * (1 + 1e-12) + 1e-9);
  return 1 + static_cast<std::int64_t>(std::min(more, static_cast<double>(all - 1)));
}

double forward(const StageFigures& stage, Seconds which) {
  if (which == Seconds::all) return stage.forward;
  return which == Seconds::floor ? stage.floor_forward : stage.computing_forward;
}
double backward(const StageFigures& stage, Seconds which) {
  if (which == Seconds::all) return stage.backward;
  return which == Seconds::floor ? stage.floor_backward : stage.computing_backward;
}

double least_interleaved(const std::vector<StageFigures>& passes, int chunks,
                         std::int64_t microbatches, Seconds which) {
  const std::size_t stages = passes.size() / static_cast<std::size_t>(chunks);
  double most = 0, before = 0;
  for (std::size_t stage = 0; stage < stages; ++stage) {
    double own = 0;
    for (std::size_t i = stage; i < passes.size(); i += stages)
      own += forward(passes[i], which) + backward(passes[i], which);
    most = std::max(most, before + static_cast<double>(microbatches) * own);
    before += forward(passes[stage], which) + backward(passes[stage], which);
  }
  return most;
}

/// By stage of a cut, affine in iterations from few on; of fewer at least so.
class Loads {
 public:
  Loads(const CutProblem& problem, Seconds which) : problem_(problem) {
    for (int stage = 0; stage < problem.stages; ++stage) {
      const std::int64_t few = problem.costs.few();
      const double each = of(stage, few + 1, which) - of(stage, few, which);
      double at_one = of(stage, 1, which);
      for (std::int64_t count = 2; count <= few; ++count)
        at_one = std::min(at_one, of(stage, count, which) - static_cast<double>(count - 1) * each);
      at_one_.push_back(at_one);
      each_.push_back(each);
      lightest_ = std::max(lightest_, at_one_.back());
    }
  }

  /// The most iterations of each stage with a load of at most `limit`, and no more than `caps`.
  Blocks within(double limit, const Blocks& caps) const {
    Blocks most;
    for (std::size_t i = 0; i < caps.size(); ++i)
      most.push_back(
          std::min(caps[i], most_within(at_one_[i], each_[i], limit, problem_.iterations)));
    return most;
  }

  /// The least load with which all iterations have a place; infinite if there is none.
  double least(const Blocks& caps) const {
    const auto holds = [&](double limit) {
      const Blocks most = within(limit, caps);
      return std::all_of(most.begin(), most.end(), [](auto count) { return count > 0; }) &&
             std::accumulate(most.begin(), most.end(), std::int64_t{0}) >= problem_.iterations;
    };
    double low = lightest_, high = low;
    for (std::size_t i = 0; i < at_one_.size(); ++i)
      high = std::max(high, at_one_[i] + each_[i] * static_cast<double>(problem_.iterations));
    if (holds(low)) return low;
    if (!holds(high)) return infinity;
    for (int i = 0; i < 60; ++i) {
      const double middle = (low + high) / 2;
      (holds(middle) ? high : low) = middle;
    }
    return high;
  }

 private:
  double of(int stage, std::int64_t iterations, Seconds which) const {
    return load_of(problem_.costs.of(stage, problem_.stages, iterations),
                   problem_.stages - 1 - stage, problem_.microbatches, which);
  }

  const CutProblem& problem_;
  std::vector<double> at_one_, each_;  // by stage
  double lightest_ = 0;
};

/// The most iterations that each stage has memory for.
Blocks memory_caps(const CutProblem& problem, Schedule schedule, double limit) {
  Blocks caps;
  for (int stage = 0; stage < problem.stages; ++stage) {
    const std::int64_t flying = in_flight(schedule, problem.stages, stage, problem.microbatches);
    const std::int64_t few = problem.costs.few();
    std::int64_t cap = problem.iterations;
    for (double StageFigures::*arena : {&StageFigures::passes_arena, &StageFigures::once_arena}) {
      const auto bytes = [&](std::int64_t iterations) {
        const StageFigures of = problem.costs.of(stage, problem.stages, iterations);
        return of.variables + of.crossing + of.*arena + static_cast<double>(flying - 1) * of.held;
      };
      const double each = bytes(few + 1) - bytes(few);
      const std::int64_t longer =
          most_within(bytes(few) - static_cast<double>(few - 1) * each, each, limit, cap);
      std::int64_t shorter = std::min(few - 1, cap);
      while (shorter > 0 && bytes(shorter) > limit) --shorter;
      cap = longer >= few ? longer : shorter;
    }
    caps.push_back(cap);
  }
  return caps;
}

/// `wanted` within the caps; what has no place there goes to the last stages that have any.
Blocks within(Blocks wanted, const Blocks& caps) {
  std::int64_t left = 0;
  for (std::size_t i = 0; i < caps.size(); ++i) {
    const std::int64_t over = std::max<std::int64_t>(wanted[i] - caps[i], 0);
    wanted[i] -= over;
    left += over;
  }
  for (std::size_t i = caps.size(); i-- > 0 && left > 0;) {
    const std::int64_t more = std::min(left, caps[i] - wanted[i]);
    wanted[i] += more;
    left -= more;
  }
  return wanted;
}

/// As many as go into the first stages, one in each of the others; or into the last ones.
Blocks packed(const CutProblem& problem, const Blocks& caps, bool first) {
  Blocks blocks(caps.size(), 1);
  std::int64_t left = problem.iterations - problem.stages;
  for (std::size_t i = 0; i < caps.size(); ++i) {
    const std::size_t at = first ? i : caps.size() - 1 - i;
    const std::int64_t more = std::min(left, caps[at] - 1);
    blocks[at] += more;
    left -= more;
  }
  return blocks;
}

std::vector<Blocks> candidates(const CutProblem& problem, const Blocks& caps) {
  Blocks even = lowering::even_blocks(problem.iterations, problem.stages);
  Blocks behind(even.rbegin(), even.rend());
  return {within(std::move(even), caps), within(std::move(behind), caps),
          packed(problem, caps, true), packed(problem, caps, false)};
}

/// The numbers of chunks that go with its micro-batches.
std::vector<int> chunk_numbers_of(const CutProblem& problem) {
  if (!lowering::can_interleave(problem.stages, problem.microbatches)) return {};
  return chunk_numbers(problem.iterations, problem.stages);
}

/// In the order of the model. `blocks`: of each stage.
std::vector<StageFigures> virtual_stages(const CutProblem& problem, const Blocks& blocks,
                                         int chunks) {
  std::vector<StageFigures> all;
  for (int i = 0; i < problem.stages * chunks; ++i)
    all.push_back(problem.costs.of(i, problem.stages * chunks,
                                   blocks[static_cast<std::size_t>(i % problem.stages)] / chunks));
  return all;
}

/// With what crosses to and from each of its chunks, and what passes through one work in.
StageFigures whole_stage(const CutProblem& problem, int stage, const Blocks& blocks,
                         const std::vector<StageFigures>& passes) {
  const auto at = static_cast<std::size_t>(stage);
  StageFigures whole = problem.costs.of(stage, problem.stages, blocks[at]);
  whole.crossing = whole.passes_arena = 0;
  for (std::size_t i = at; i < passes.size(); i += blocks.size()) {
    whole.crossing += passes[i].crossing;
    whole.passes_arena = std::max(whole.passes_arena, passes[i].passes_arena);
  }
  return whole;
}

/// Bytes with all passes in flight that the schedule runs ahead.
double interleaved_memory(const CutProblem& problem, int stage, const StageFigures& whole,
                          const std::vector<StageFigures>& passes) {
  const int chunks = static_cast<int>(passes.size()) / problem.stages;
  // Once every chunk has had its turn no more are in flight.
  const std::int64_t turns = std::min<std::int64_t>(problem.microbatches, 3 * problem.stages);
  std::vector<std::int64_t> held;
  for (std::size_t i = static_cast<std::size_t>(stage); i < passes.size();
       i += static_cast<std::size_t>(problem.stages))
    held.push_back(std::llround(std::max(passes[i].held, 0.0)));
  const std::vector<std::int64_t> most = pipeline::most_in_flight(
      pipeline::order({Schedule::interleaved, problem.stages, chunks, turns}, stage), held);
  double further = 0;
  for (std::size_t i = 0; i < held.size(); ++i)
    further += static_cast<double>(most[i] - 1) * static_cast<double>(held[i]);
  return whole.memory(1) + std::max(further, 0.0);
}

bool add_all(Blocks& chosen, std::int64_t left, int stages, std::size_t most,
             std::vector<Blocks>& all) {
  if (stages == 1) {
    chosen.push_back(left);
    all.push_back(chosen);
    chosen.pop_back();
    return all.size() <= most;
  }
  for (std::int64_t here = 1; here <= left - (stages - 1); ++here) {
    chosen.push_back(here);
    const bool few = add_all(chosen, left - here, stages - 1, most, all);
    chosen.pop_back();
    if (!few) return false;
  }
  return true;
}

/// What memory allows, as fast as it can be; nothing if the schedule needs more.
std::set<Blocks> worth_a_look(const CutProblem& problem, Schedule schedule, double memory) {
  const Blocks caps = memory_caps(problem, schedule, memory);
  const Loads loads(problem, Seconds::all);
  const double least = loads.least(caps);
  if (least == infinity) return {};
  // A little more: what the load does not say, sends and which stages are before, may matter more.
  std::set<Blocks> all;
  for (const double limit : {least, least * 1.02})
    for (Blocks& one : candidates(problem, loads.within(limit, caps))) all.insert(std::move(one));
  return all;
}

}  // namespace

double seconds_of(const StageFigures& stage, Seconds which) {
  return forward(stage, which) + backward(stage, which);
}

double load_of(const StageFigures& stage, int behind, std::int64_t microbatches, Seconds which) {
  const double f = forward(stage, which), b = backward(stage, which);
  const auto m = static_cast<double>(microbatches);
  return (m - 1) * (f + b) - std::min(static_cast<double>(behind), m - 1) * f;
}

std::int64_t timed_microbatches(int stages, std::int64_t microbatches) {
  return std::min<std::int64_t>(microbatches, 8 * stages);
}

double span(pipeline::Shape shape, const std::vector<pipeline::StageTimes>& times,
            const std::vector<pipeline::Send>& sends) {
  const auto of = [&](std::int64_t microbatches) {
    shape.microbatches = microbatches;
    return pipeline::span(pipeline::timeline(shape, times, sends));
  };
  const std::int64_t few = 3 * shape.stages, more = 4 * shape.stages, all = shape.microbatches;
  if (all == timed_microbatches(shape.stages, all)) return of(all);
  const double less = of(few), longer = of(more);
  return longer +
         (longer - less) * static_cast<double>(all - more) / static_cast<double>(more - few);
}

std::int64_t in_flight(Schedule schedule, int stages, int stage, std::int64_t microbatches) {
  return schedule == Schedule::gpipe ? microbatches
                                     : std::min<std::int64_t>(stages - stage, microbatches);
}

Cut priced(const CutProblem& problem, Blocks blocks, Schedule schedule, int chunks) {
  Cut cut{std::move(blocks), schedule, chunks};
  std::vector<pipeline::StageTimes> times;
  const std::vector<StageFigures> passes = virtual_stages(problem, cut.blocks, chunks);
  for (const StageFigures& one : passes) times.push_back({one.forward, one.backward});
  std::vector<OnceSeconds> once;
  for (int stage = 0; stage < problem.stages; ++stage) {
    const StageFigures figures = whole_stage(problem, stage, cut.blocks, passes);
    once.push_back(figures.once);
    const double memory =
        chunks > 1
            ? interleaved_memory(problem, stage, figures, passes)
            : figures.memory(in_flight(schedule, problem.stages, stage, problem.microbatches));
    cut.memory = std::max(cut.memory, memory);
    cut.variables = std::max(cut.variables, figures.variables + figures.crossing);
  }
  if (cut.memory > problem.memory) return cut;
  cut.step = span({schedule, problem.stages, chunks, problem.microbatches}, times,
                  problem.costs.sends(problem.stages * chunks).passes) +
             once_span(once, problem.costs.sends(problem.stages).once);
  return cut;
}

namespace {

/// Of one micro-batch in all stages, which is the same for all cuts.
double sum_of_stages(const CutProblem& problem, Seconds which) {
  double sum = 0;
  const Blocks even = lowering::even_blocks(problem.iterations, problem.stages);
  for (int stage = 0; stage < problem.stages; ++stage)
    sum += seconds_of(
        problem.costs.of(stage, problem.stages, even[static_cast<std::size_t>(stage)]), which);
  return sum;
}

/// Those that are looked at, and whether they are all that there are.
std::pair<std::vector<Cut>, bool> priced_cuts(CutProblem problem) {
  // Passes of all cuts together.
  constexpr std::int64_t most_passes = 40'000;
  const std::optional<std::vector<Blocks>> all =
      all_cuts(problem.iterations, problem.stages,
               static_cast<std::size_t>(
                   most_passes /
                   (problem.stages * timed_microbatches(problem.stages, problem.microbatches))));
  const double memory = std::exchange(problem.memory, infinity);
  std::vector<Cut> cuts;
  for (const Schedule schedule : {Schedule::one_f_one_b, Schedule::gpipe}) {
    std::set<Blocks> blocks;
    if (all) blocks.insert(all->begin(), all->end());
    for (const double limit : {infinity, memory, memory / (1 - problem.margin.mostly.memory)})
      if (!all) blocks.merge(worth_a_look(problem, schedule, limit));
    for (const Blocks& one : blocks) cuts.push_back(priced(problem, one, schedule));
  }
  const Blocks even = lowering::even_blocks(problem.iterations, problem.stages);
  for (const int chunks : chunk_numbers_of(problem))
    cuts.push_back(priced(problem, even, Schedule::interleaved, chunks));
  return {std::move(cuts), all.has_value()};
}

}  // namespace

Cuts<Cut> best_cuts(const CutProblem& problem) {
  auto [all, every] = priced_cuts(problem);
  const Cut *fastest = nullptr, *fits = nullptr;
  for (const Cut& one : all) {
    if (!fastest || is_faster_or_smaller(one, *fastest)) fastest = &one;
    if (one.memory <= problem.memory && (!fits || is_faster_or_smaller(one, *fits))) fits = &one;
  }
  CutProblem without_limit = problem;
  without_limit.memory = infinity;
  Cuts<Cut> cuts{fits ? *fits
                      : priced(without_limit,
                               lowering::even_blocks(problem.iterations, problem.stages),
                               Schedule::one_f_one_b)};
  cuts.best.all = every;
  cuts.best.short_of_memory = fastest->memory > problem.memory;
  set_near(cuts, std::move(all), problem.memory, problem.margin);
  return cuts;
}

std::optional<std::vector<Blocks>> all_cuts(std::int64_t iterations, int stages, std::size_t most) {
  std::vector<Blocks> all;
  Blocks chosen;
  if (most == 0 || !add_all(chosen, iterations, stages, most, all)) return std::nullopt;
  return all;
}

double least_within(const CutProblem& problem, double memory) {
  // Of 1f1b, which holds least.
  const Blocks caps = memory_caps(problem, Schedule::one_f_one_b, memory);
  return sum_of_stages(problem, Seconds::all) + Loads(problem, Seconds::all).least(caps);
}

double least_step(const CutProblem& problem, Seconds which) {
  const Blocks even = lowering::even_blocks(problem.iterations, problem.stages);
  const Blocks any(even.size(), problem.iterations);
  double least = sum_of_stages(problem, which) + Loads(problem, which).least(any);
  for (const int chunks : chunk_numbers_of(problem))
    least = std::min(least, least_step(virtual_stages(problem, even, chunks), chunks,
                                       problem.microbatches, which));
  return least;
}

double least_step(const std::vector<StageFigures>& stages, int chunks, std::int64_t microbatches,
                  Seconds which) {
  if (chunks > 1) return least_interleaved(stages, chunks, microbatches, which);
  double sum = 0, most = 0;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    sum += forward(stages[i], which) + backward(stages[i], which);
    most = std::max(
        most, load_of(stages[i], static_cast<int>(stages.size() - 1 - i), microbatches, which));
  }
  return sum + most;
}

}  // namespace mtfc::plan
