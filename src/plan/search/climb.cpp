#include "plan/search/climb.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mtfc::plan {

double Climber::score(const Choice& choice, double weight) const {
  const std::optional<Standing> found = judge_(choice);
  if (!found) return std::numeric_limits<double>::infinity();
  const double share = found->memory / limit_;
  // Of what is as fast the smaller one.
  constexpr double hardly = 1e-7;
  return found->step * (1 + hardly * std::min(share, 1.0)) * std::pow(std::max(1.0, share), weight);
}

bool Climber::is_short_of_memory(const Choice& choice) const {
  const std::optional<Standing> found = judge_(choice);
  return found && found->short_of_memory;
}

/// Its neighbours, those that are likely to be fast first.
std::vector<Choice> Climber::worth_a_look(const Choice& at) const {
  const std::optional<Standing> found = judge_(at);
  const bool fits = found && found->memory <= limit_;
  // Estimates know no kernels that are small and no messages that are hidden.
  const double most = fits ? 1.3 * estimate_(at) : std::numeric_limits<double>::infinity();
  std::vector<std::pair<double, Choice>> order;
  for (Choice& next : neighbours_of(space_, at, dims_, scopes_, is_short_of_memory(at)))
    if (const double seconds = estimate_(next); seconds <= most)
      order.emplace_back(seconds, std::move(next));
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Choice> all;
  for (auto& [seconds, next] : order) all.push_back(std::move(next));
  return all;
}

void Climber::climb(Choice& at, double weight) const {
  double best = score(at, weight);
  for (bool moved = true; moved;) {
    moved = false;
    for (Choice& next : worth_a_look(at)) {
      const double other = score(next, weight);
      if (other >= best) continue;
      best = other;
      at = std::move(next);
      moved = true;
      break;
    }
  }
}

/// The best of each of these, the best first.
Climber::Ranked Climber::ranked(const Starts& starts) const {
  Ranked order;
  for (const std::vector<Choice>& some : starts) {
    std::pair<double, Choice> best{std::numeric_limits<double>::infinity(), {}};
    for (const Choice& one : some)
      if (const double found = score(one, 3); found < best.first) best = {found, one};
    if (best.first == std::numeric_limits<double>::infinity()) continue;
    if (space_.recompute && is_short_of_memory(best.second))
      for (const Recompute what : {Recompute::selective, Recompute::full}) {
        Choice again = best.second;
        again.recompute = what;
        if (const double found = score(again, 3); found < best.first) best = {found, again};
      }
    order.push_back(std::move(best));
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  return order;
}

Climber::Ranked Climber::starts(const std::vector<Choice>& bases, const Holding& holding) const {
  // What is not kept whole takes less memory, and time.
  const auto worth = [&](const Choice& choice) {
    return estimate_(choice) * std::max(1.0, holding.bytes(choice) / holding.limit);
  };
  Ranked all = ranked(plain_starts(space_, bases, estimate_, holding, dims_));
  Ranked staged = ranked(staged_starts(space_, bases, worth, holding, dims_));
  constexpr std::size_t most_staged = 3;
  if (staged.size() > most_staged) staged.resize(most_staged);
  all.insert(all.end(), staged.begin(), staged.end());
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  return all;
}

void Climber::run(const std::vector<Choice>& bases, const Holding& holding) const {
  for (auto& [found, at] : starts(bases, holding))
    for (const double weight : {1.0, 3.0, 30.0}) climb(at, weight);
}

}  // namespace mtfc::plan
