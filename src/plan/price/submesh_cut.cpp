#include "plan/price/submesh_cut.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "pipeline/task_times.h"
#include "predict/map_stages.h"

namespace mtfc::plan {
namespace {

using StageList = std::vector<SubmeshStage>;
constexpr double never = std::numeric_limits<double>::infinity();

/// Of which all submeshes have a multiple of processors.
std::int64_t unit_of(const SubmeshProblem& problem) {
  std::int64_t unit = problem.processors;
  for (const Submesh& one : problem.submeshes) unit = std::gcd(unit, one.mesh.processors());
  return unit;
}

/// The dynamic program. A state is how many stages from here to the last, and what these have: so
/// many blocks, and units of processors.
class Deal {
 public:
  Deal(const SubmeshProblem& problem, Seconds which)
      : problem_(problem),
        which_(which),
        unit_(unit_of(problem)),
        room_(problem.processors / unit_),
        most_(std::min<std::int64_t>({problem.most_stages, problem.blocks, room_})) {
    for (std::size_t i = 0; i < problem.submeshes.size(); ++i) {
      const std::int64_t size = problem.submeshes[i].mesh.processors() / unit_;
      if (sizes_.empty() || sizes_.back().first != size) sizes_.push_back({size, {}});
      sizes_.back().second.push_back(i);
    }
    for (std::int64_t position = 0; position < positions(); ++position)
      for (const Submesh& one : problem.submeshes)
        for (std::int64_t count = 1; count <= problem.blocks; ++count)
          figures_.push_back(one.costs->figures(position, count));
    for (const StageFigures& one : figures_) {
      const double load = load_of(one, 0, problem.microbatches, which);
      if (one.forward >= 0) highest_ = std::max(highest_, load);
    }
  }

  /// The least sum of seconds with no load above the limit; infinite: none. `memory`: of a stage at
  /// most, with 1f1b. `found`: gets who has what, of each number of stages.
  double least_sum(double limit, double memory, std::set<StageList>* found = nullptr) {
    const std::int64_t blocks = problem_.blocks;
    best_.assign(static_cast<std::size_t>(most_ + 1) * width(), {});
    at(0, 0, 0).seconds = 0;
    double least = never;
    for (std::int64_t count = 1; count <= most_; ++count) {
      set_cheapest(count, limit, memory);
      for (std::int64_t left = count; left <= blocks; ++left)
        for (std::int64_t room = count; room <= room_; ++room) extend(count, left, room);
      if (count == 1) continue;
      const double seconds = at(count, blocks, room_).seconds;
      least = std::min(least, seconds);
      if (found && seconds < never) found->insert(read(count));
    }
    return least;
  }

  double highest() const { return highest_; }

 private:
  struct State {
    double seconds = never;
    std::int64_t blocks = 0;  // of the first of these stages
    std::size_t submesh = 0;
  };
  struct Cheapest {
    double seconds = never;
    std::size_t submesh = 0;
  };

  std::size_t width() const {
    return static_cast<std::size_t>((problem_.blocks + 1) * (room_ + 1));
  }
  State& at(std::int64_t count, std::int64_t blocks, std::int64_t room) {
    return best_[static_cast<std::size_t>(count) * width() +
                 static_cast<std::size_t>(blocks * (room_ + 1) + room)];
  }
  /// Of submeshes: all are of the same chain.
  std::int64_t positions() const {
    return problem_.submeshes.empty() ? 0 : problem_.submeshes.front().costs->positions();
  }
  const StageFigures& figures(std::int64_t position, std::size_t submesh,
                              std::int64_t blocks) const {
    return figures_[(static_cast<std::size_t>(position) * problem_.submeshes.size() + submesh) *
                        static_cast<std::size_t>(problem_.blocks) +
                    static_cast<std::size_t>(blocks - 1)];
  }

  /// Of submeshes of one size the one that computes least, for a stage with so many from here on.
  Cheapest cheapest_of(std::int64_t position, std::size_t size, std::int64_t blocks,
                       std::int64_t count, double limit, double memory) const {
    Cheapest best;
    for (const std::size_t submesh : sizes_[size].second) {
      const StageFigures& one = figures(position, submesh, blocks);
      const double seconds = seconds_of(one, which_);
      if (seconds >= best.seconds ||
          load_of(one, static_cast<int>(count - 1), problem_.microbatches, which_) > limit ||
          one.memory(std::min(count, problem_.microbatches)) > memory)
        continue;
      best = {seconds, submesh};
    }
    return best;
  }
  void set_cheapest(std::int64_t count, double limit, double memory) {
    cheapest_.clear();
    for (std::int64_t position = 0; position < positions(); ++position)
      for (std::size_t size = 0; size < sizes_.size(); ++size)
        for (std::int64_t blocks = 1; blocks <= problem_.blocks; ++blocks)
          cheapest_.push_back(cheapest_of(position, size, blocks, count, limit, memory));
  }
  /// Of a stage that has `own` of the last `left` blocks.
  const Cheapest& cheapest(std::size_t size, std::int64_t left, std::int64_t own) const {
    const std::int64_t position =
        problem_.submeshes.front().costs->position(problem_.blocks - left, own);
    return cheapest_[(static_cast<std::size_t>(position) * sizes_.size() + size) *
                         static_cast<std::size_t>(problem_.blocks) +
                     static_cast<std::size_t>(own - 1)];
  }

  void extend(std::int64_t count, std::int64_t left, std::int64_t room) {
    State best;
    for (std::size_t size = 0; size < sizes_.size(); ++size) {
      const std::int64_t taken = sizes_[size].first;
      if (taken > room) break;
      for (std::int64_t own = 1; own <= left; ++own) {
        const double behind = at(count - 1, left - own, room - taken).seconds;
        if (behind == never) continue;
        const Cheapest& one = cheapest(size, left, own);
        if (behind + one.seconds < best.seconds) best = {behind + one.seconds, own, one.submesh};
      }
    }
    at(count, left, room) = best;
  }

  StageList read(std::int64_t count) {
    StageList stages;
    std::int64_t left = problem_.blocks, room = room_;
    for (; count > 0; --count) {
      const State& now = at(count, left, room);
      stages.push_back({now.submesh, now.blocks});
      left -= now.blocks;
      room -= problem_.submeshes[now.submesh].mesh.processors() / unit_;
    }
    return stages;
  }

  const SubmeshProblem& problem_;
  const Seconds which_;
  const std::int64_t unit_, room_;                                        // room: in units
  const std::int64_t most_;                                               // stages
  std::vector<std::pair<std::int64_t, std::vector<std::size_t>>> sizes_;  // ascending
  std::vector<StageFigures> figures_;  // by position, submesh and blocks
  std::vector<State> best_;
  std::vector<Cheapest> cheapest_;  // by position, size and blocks
  double highest_ = 0;
};

/// Whether the dynamic program takes no time worth saving.
bool is_small(const SubmeshProblem& problem) {
  const auto blocks = static_cast<double>(problem.blocks);
  return blocks * blocks * static_cast<double>(problem.processors / unit_of(problem)) *
             static_cast<double>(problem.most_stages) <
         1e5;
}

/// Limits from one that no pipeline keeps up to one that all keep, each a little above the one
/// before. Calls `look(limit, last)` until it says to stop.
template <typename Look>
void for_limits(const SubmeshProblem& problem, Deal& deal, double memory, const Look& look) {
  double low = 0, high = deal.highest();
  if (deal.least_sum(high, memory) == never) return;
  for (int i = 0; i < 20 && high > low * 1.001; ++i) {
    const double middle = (low + high) / 2;
    (deal.least_sum(middle, memory) == never ? low : high) = middle;
  }
  const double more = is_small(problem) ? 1.01 : 1.1;
  for (double last = low; last < deal.highest(); last = high, high *= more)
    if (!look(std::min(high, deal.highest()), last)) return;
}

class AllPipelines {
 public:
  AllPipelines(const SubmeshProblem& problem, std::size_t most) : problem_(problem), most_(most) {}
  std::optional<std::vector<StageList>> run() {
    if (!add(problem_.blocks, problem_.processors)) return std::nullopt;
    return std::move(all_);
  }

 private:
  /// False: there are too many.
  bool add(std::int64_t blocks, std::int64_t processors) {
    if (blocks == 0 && processors == 0 && stages_.size() > 1) {
      all_.push_back(stages_);
      return all_.size() <= most_;
    }
    if (blocks == 0 || processors == 0 ||
        stages_.size() == static_cast<std::size_t>(problem_.most_stages))
      return ++tried_ <= 20 * most_;
    for (std::size_t i = 0; i < problem_.submeshes.size(); ++i) {
      const std::int64_t size = problem_.submeshes[i].mesh.processors();
      if (size > processors) continue;
      for (std::int64_t own = 1; own <= blocks; ++own) {
        stages_.push_back({i, own});
        const bool few = add(blocks - own, processors - size);
        stages_.pop_back();
        if (!few) return false;
      }
    }
    return true;
  }

  const SubmeshProblem& problem_;
  const std::size_t most_;
  std::size_t tried_ = 0;
  StageList stages_;
  std::vector<StageList> all_;
};

StageSends sends_of(const SubmeshProblem& problem, const StageList& stages,
                    const predict::MappedStages& mapped) {
  StageSends all;
  const int count = static_cast<int>(stages.size());
  std::vector<std::int64_t> blocks;
  for (const SubmeshStage& one : stages) blocks.push_back(one.blocks);
  const auto submesh = [&](int stage) -> const Submesh& {
    return problem.submeshes[stages[static_cast<std::size_t>(stage)].submesh];
  };
  for (int from = 0; from < count; ++from)
    for (int to = 0; to < count; ++to) {
      if (from == to) continue;
      // All processors of a stage together send what all of the other get.
      const double share = static_cast<double>(submesh(to).mesh.processors()) /
                           static_cast<double>(submesh(from).mesh.processors());
      add(all, submesh(to).costs->sends(blocks, from, to, mapped, share));
    }
  return all;
}

/// Of those submeshes that are wanted.
template <typename Wanted>
void add_candidates(const SubmeshProblem& whole, const Wanted& wanted, std::set<StageList>& all) {
  SubmeshProblem problem = whole;
  problem.submeshes.clear();
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < whole.submeshes.size(); ++i) {
    if (!wanted(whole.submeshes[i])) continue;
    problem.submeshes.push_back(whole.submeshes[i]);
    numbers.push_back(i);
  }
  std::set<StageList> found;
  Deal deal(problem, Seconds::all);
  double least = never;
  for (const double memory : {never, problem.memory})
    for_limits(problem, deal, memory, [&](double limit, double last) {
      least = std::min(least, deal.least_sum(limit, memory, &found) + limit);
      // A little more than what the load says: messages may matter.
      return last < 1.1 * least;
    });
  for (StageList stages : found) {
    for (SubmeshStage& one : stages) one.submesh = numbers[one.submesh];
    all.insert(std::move(stages));
  }
}

/// The candidates, and whether these are all that there are.
std::pair<std::vector<StageList>, bool> candidates(const SubmeshProblem& problem) {
  constexpr std::int64_t most_passes = 40'000;
  if (auto all = all_pipelines(
          problem,
          static_cast<std::size_t>(
              most_passes / (2 * timed_microbatches(problem.most_stages, problem.microbatches)))))
    return {std::move(*all), true};
  std::set<StageList> found;
  add_candidates(
      problem, [](const Submesh&) { return true; }, found);
  // What loads do not say: messages between stages of unlike sizes may take long.
  std::set<std::int64_t> sizes;
  for (const Submesh& one : problem.submeshes) sizes.insert(one.mesh.processors());
  if (is_small(problem))
    for (const std::int64_t size : sizes)
      add_candidates(
          problem, [&](const Submesh& one) { return one.mesh.processors() != size; }, found);
  return {{found.begin(), found.end()}, false};
}

}  // namespace

SubmeshCut priced(const SubmeshProblem& problem, StageList stages, Schedule schedule) {
  SubmeshCut found{std::move(stages), {}};
  Cut& cut = found.cut;
  cut.schedule = schedule;
  const int count = static_cast<int>(found.stages.size());
  std::vector<Mesh> meshes;
  std::vector<pipeline::StageTimes> times;
  std::vector<OnceSeconds> once;
  std::int64_t begin = 0;
  for (int i = 0; i < count; ++i) {
    const SubmeshStage& stage = found.stages[static_cast<std::size_t>(i)];
    const Submesh& submesh = problem.submeshes[stage.submesh];
    const StageFigures figures =
        submesh.costs->figures(submesh.costs->position(begin, stage.blocks), stage.blocks);
    begin += stage.blocks;
    meshes.push_back(submesh.mesh);
    cut.blocks.push_back(stage.blocks);
    times.push_back({figures.forward, figures.backward});
    once.push_back(figures.once);
    cut.memory =
        std::max(cut.memory, figures.memory(in_flight(schedule, count, i, problem.microbatches)));
    cut.variables = std::max(cut.variables, figures.variables + figures.crossing);
  }
  cut.step = never;
  const auto mapped = predict::map_stages(meshes, problem.machine);
  if (!mapped) return found;
  const StageSends sends = sends_of(problem, found.stages, *mapped);
  cut.step = span({schedule, count, 1, problem.microbatches}, times, sends.passes) +
             once_span(once, sends.once);
  return found;
}

std::optional<std::vector<StageList>> all_pipelines(const SubmeshProblem& problem,
                                                    std::size_t most) {
  return AllPipelines(problem, most).run();
}

std::optional<Cuts<SubmeshCut>> best_cuts(const SubmeshProblem& problem) {
  std::vector<SubmeshCut> all;
  const auto [lists, every] = candidates(problem);
  for (const StageList& stages : lists)
    for (const Schedule schedule : {Schedule::one_f_one_b, Schedule::gpipe})
      if (SubmeshCut one = priced(problem, stages, schedule); one.cut.step != never)
        all.push_back(std::move(one));
  if (all.empty()) return std::nullopt;
  const SubmeshCut *best = &all.front(), *fastest = best;
  for (const SubmeshCut& one : all) {
    if (is_preferred(one.cut, best->cut, problem.memory)) best = &one;
    if (one.cut.step < fastest->cut.step) fastest = &one;
  }
  Cuts<SubmeshCut> cuts{*best};
  cuts.best.cut.all = every;
  cuts.best.cut.short_of_memory = fastest->cut.memory > problem.memory;
  set_near(cuts, std::move(all), problem.memory, problem.margin);
  return cuts;
}

namespace {

double least_step(const SubmeshProblem& problem, Seconds which, double memory) {
  Deal deal(problem, which);
  const double any = deal.least_sum(deal.highest(), memory);
  double least = never;
  for_limits(problem, deal, memory, [&](double limit, double last) {
    least = std::min(least, deal.least_sum(limit, memory) + last);
    return any + limit < least;
  });
  return least;
}

}  // namespace

double least_step(const SubmeshProblem& problem, Seconds which) {
  return least_step(problem, which, never);
}

double least_within(const SubmeshProblem& problem, double memory) {
  return least_step(problem, Seconds::all, memory);
}

}  // namespace mtfc::plan
