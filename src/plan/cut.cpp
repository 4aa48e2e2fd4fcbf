#include "plan/cut.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "pipeline/task_times.h"

namespace mtfc::plan {
namespace {

using Blocks = std::vector<std::int64_t>;
constexpr double infinity = std::numeric_limits<double>::infinity();

std::int64_t in_flight(Schedule schedule, const CutProblem& problem, int stage) {
  return schedule == Schedule::gpipe
             ? problem.microbatches
             : std::min<std::int64_t>(problem.stages - stage, problem.microbatches);
}

double memory_of(const StageFigures& stage, std::int64_t in_flight) {
  return stage.memory + static_cast<double>(in_flight - 1) * stage.held;
}

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

/// (m - 1) t - w f of a stage with so many behind it.
double load(const StageFigures& stage, int behind, std::int64_t microbatches, Seconds which) {
  const double f = forward(stage, which), b = backward(stage, which);
  const auto m = static_cast<double>(microbatches);
  return (m - 1) * (f + b) - std::min(static_cast<double>(behind), m - 1) * f;
}

/// By stage of a cut, affine in iterations.
class Loads {
 public:
  Loads(const CutProblem& problem, Seconds which) : problem_(problem) {
    for (int stage = 0; stage < problem.stages; ++stage) {
      const double one = of(stage, 1, which), two = of(stage, 2, which);
      at_one_.push_back(one);
      each_.push_back(two - one);
      lightest_ = std::max(lightest_, one);
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
    return load(problem_.costs.of(stage, problem_.stages, iterations), problem_.stages - 1 - stage,
                problem_.microbatches, which);
  }

  const CutProblem& problem_;
  std::vector<double> at_one_, each_;  // by stage
  double lightest_ = 0;
};

/// The most iterations that each stage has memory for.
Blocks memory_caps(const CutProblem& problem, Schedule schedule, double limit) {
  Blocks caps;
  for (int stage = 0; stage < problem.stages; ++stage) {
    const std::int64_t flying = in_flight(schedule, problem, stage);
    const auto bytes = [&](std::int64_t iterations) {
      return memory_of(problem.costs.of(stage, problem.stages, iterations), flying);
    };
    caps.push_back(most_within(bytes(1), bytes(2) - bytes(1), limit, problem.iterations));
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
  Blocks even = even_blocks(problem.iterations, problem.stages);
  Blocks behind(even.rbegin(), even.rend());
  return {within(std::move(even), caps), within(std::move(behind), caps),
          packed(problem, caps, true), packed(problem, caps, false)};
}

/// Seconds of the passes. Once all stages work, one micro-batch more takes the same time again.
double span(const CutProblem& problem, Schedule schedule,
            const std::vector<pipeline::StageTimes>& times) {
  const std::vector<pipeline::Send> sends = problem.costs.sends(problem.stages);
  const auto of = [&](std::int64_t microbatches) {
    return pipeline::span(
        pipeline::timeline({schedule, problem.stages, 1, microbatches}, times, sends));
  };
  const std::int64_t few = 3 * problem.stages, more = 4 * problem.stages;
  if (problem.microbatches <= 2 * more) return of(problem.microbatches);
  const double less = of(few), all = of(more);
  return all + (all - less) * static_cast<double>(problem.microbatches - more) /
                   static_cast<double>(more - few);
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
std::vector<Blocks> worth_a_look(const CutProblem& problem, Schedule schedule) {
  const Blocks caps = memory_caps(problem, schedule, problem.memory);
  const Loads loads(problem, Seconds::all);
  const double least = loads.least(caps);
  if (least == infinity) return {};
  // A little more: what the load does not say, sends and which stages are before, may matter more.
  std::vector<Blocks> all = candidates(problem, loads.within(least, caps));
  for (Blocks& one : candidates(problem, loads.within(least * 1.02, caps)))
    all.push_back(std::move(one));
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace

Cut priced(const CutProblem& problem, Blocks blocks, Schedule schedule) {
  Cut cut{std::move(blocks), schedule};
  std::vector<pipeline::StageTimes> times;
  double once = 0;
  for (int stage = 0; stage < problem.stages; ++stage) {
    const StageFigures figures =
        problem.costs.of(stage, problem.stages, cut.blocks[static_cast<std::size_t>(stage)]);
    times.push_back({figures.forward, figures.backward});
    once = std::max(once, figures.once);
    cut.memory = std::max(cut.memory, memory_of(figures, in_flight(schedule, problem, stage)));
    cut.variables = std::max(cut.variables, figures.variables);
  }
  if (cut.memory > problem.memory) return cut;
  cut.step = span(problem, schedule, times) + once + problem.costs.once_between();
  return cut;
}

namespace {

/// Of what fits; infinite seconds: nothing does.
Cut fastest_cut(const CutProblem& problem) {
  Cut best{{}, Schedule::one_f_one_b, infinity};
  // Passes of all cuts together.
  constexpr std::int64_t most_passes = 40'000;
  const std::optional<std::vector<Blocks>> all =
      all_cuts(problem.iterations, problem.stages,
               static_cast<std::size_t>(most_passes / (problem.stages * problem.microbatches)));
  for (const Schedule schedule : {Schedule::one_f_one_b, Schedule::gpipe})
    for (const Blocks& blocks : all ? *all : worth_a_look(problem, schedule)) {
      const Cut cut = priced(problem, blocks, schedule);
      if (cut.memory <= problem.memory &&
          std::pair(cut.step, cut.memory) < std::pair(best.step, best.memory))
        best = cut;
    }
  best.all = all.has_value();
  return best;
}

}  // namespace

Cut best_cut(const CutProblem& problem) {
  CutProblem without_limit = problem;
  without_limit.memory = infinity;
  const Cut fastest = fastest_cut(without_limit);
  if (fastest.memory <= problem.memory) return fastest;
  Cut best = fastest_cut(problem);
  if (best.step == infinity)
    best = priced(without_limit, even_blocks(problem.iterations, problem.stages),
                  Schedule::one_f_one_b);
  best.short_of_memory = true;
  return best;
}

std::optional<std::vector<Blocks>> all_cuts(std::int64_t iterations, int stages, std::size_t most) {
  std::vector<Blocks> all;
  Blocks chosen;
  if (most == 0 || !add_all(chosen, iterations, stages, most, all)) return std::nullopt;
  return all;
}

double least_step(const CutProblem& problem, Seconds which) {
  double sum = 0;
  const Blocks even = even_blocks(problem.iterations, problem.stages);
  for (int stage = 0; stage < problem.stages; ++stage) {
    const StageFigures figures =
        problem.costs.of(stage, problem.stages, even[static_cast<std::size_t>(stage)]);
    sum += forward(figures, which) + backward(figures, which);
  }
  const Blocks any(even.size(), problem.iterations);
  return sum + Loads(problem, which).least(any);
}

double least_step(const std::vector<StageFigures>& stages, std::int64_t microbatches,
                  Seconds which) {
  double sum = 0, most = 0;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    sum += forward(stages[i], which) + backward(stages[i], which);
    most = std::max(most,
                    load(stages[i], static_cast<int>(stages.size() - 1 - i), microbatches, which));
  }
  return sum + most;
}

}  // namespace mtfc::plan
