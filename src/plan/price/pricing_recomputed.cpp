// Prices of layouts whose blocks are computed again in some iterations: as few as it takes to fit.
#include <algorithm>
#include <functional>
#include <map>

#include "ir/iterations.h"
#include "plan/price/cut.h"
#include "plan/price/few_iterations.h"
#include "plan/price/pricing.h"

namespace mtfc::plan {
namespace {

/// Between nothing and everything computed again, `share` of the iterations of which are. The way
/// back begins with the last ones, which are not, and holds as much more than the way there as
/// without; later it holds what it does in either.
Price in_part(const Price& none, const Price& all, double share) {
  constexpr auto forward = static_cast<std::size_t>(Phase::forward);
  const auto between = [&](double a, double b) { return a + share * (b - a); };
  Price part = all;
  part.shares.clear();
  for (double Price::*figure : {&Price::step, &Price::computing, &Price::floor, &Price::variables})
    part.*figure = between(none.*figure, all.*figure);
  const double before = none.in_use[forward], kept = between(before, all.in_use[forward]);
  for (std::size_t i = 0; i < part.in_use.size(); ++i)
    part.in_use[i] = i == forward ? kept
                                  : std::max(std::min(none.in_use[i], all.in_use[i]),
                                             kept + none.in_use[i] - before);
  part.memory = part.variables + part.most_in_use() + std::max(none.holes(), all.holes());
  part.is_whole = false;
  return part;
}

/// Iterations of a model of which every number is looked at before none is said to fit.
constexpr std::int64_t most_looked_at = 16;

/// Of the step: those of both.
std::vector<Price::Share> shares_of(const Price& none, const Price& all, double share) {
  std::vector<Price::Share> shares = none.shares;
  for (Price::Share& one : shares) one.weight *= 1 - share;
  for (Price::Share one : all.shares) {
    one.weight *= share;
    shares.push_back(std::move(one));
  }
  return shares;
}

/// Asks whether numbers below `all` fit, from one that is about right, until one does and the next
/// smaller one does not. Memory mostly falls with the number.
void look_around(std::int64_t next, std::int64_t all,
                 const std::function<bool(std::int64_t)>& fits) {
  std::int64_t too_few = 0, enough = all, stride = 1;
  bool is_below = false, is_above = false;  // one that is too few, or enough, is known
  while (enough - too_few > 1) {
    const bool found = fits(next);
    (found ? enough : too_few) = next;
    (found ? is_above : is_below) = true;
    // Few iterations are not far off: away from what they say until it lies between two.
    next = is_below && is_above ? too_few + (enough - too_few) / 2
           : found              ? std::max(too_few + 1, next - stride)
                                : std::min(enough - 1, next + stride);
    stride *= 2;
  }
}

}  // namespace

std::optional<Price> Pricer::recomputed(const Choice& choice, double memory) {
  const Choice every = uncut(choice);
  std::optional<Price> all = of_iterations(every);
  const Model* model = models_.find(choice.microbatches);
  const std::int64_t iterations = model ? most_iterations(model->train) : 0;
  const bool undecided = choice.recomputed == 0;
  if (!all || iterations < 2 || choice.recomputed >= iterations) return all;
  if (all->is_whole) return undecided ? whole_within(choice, *all, memory) : whole(choice);
  Choice nothing = every;
  nothing.recompute = Recompute::none;
  const auto [kept, fresh] = kept_.try_emplace(to_string(choice.mesh) + description(nothing));
  if (fresh) kept->second = of_iterations(nothing);
  if (!kept->second) return all;
  const Price& none = *kept->second;
  const auto share = [&](std::int64_t count) {
    return static_cast<double>(count) / static_cast<double>(iterations);
  };
  const auto part_of = [&](std::int64_t count) {
    return count < iterations ? in_part(none, *all, share(count)) : *all;
  };
  // Time is a line: the fewest that fit, or all.
  const auto fastest_within = [&](double limit) {
    std::int64_t count = 1;
    while (count < iterations && part_of(count).memory > limit) ++count;
    return all->memory <= limit && all->step < part_of(count).step ? iterations : count;
  };
  const std::int64_t count = undecided ? fastest_within(memory) : choice.recomputed;
  Price part = part_of(count);
  if (count < iterations) part.shares = shares_of(none, *all, share(count));
  part.recomputed = count < iterations ? count : 0;
  part.likely = part_of(fastest_within(memory / (1 - memory_slack))).step;
  part.least = std::min(none.step, all->step);
  return part;
}

std::optional<Price> Pricer::whole_within(const Choice& choice, const Price& found, double memory) {
  const Model* model = models_.find(choice.microbatches);
  if (!model) return std::nullopt;
  const std::int64_t iterations = most_iterations(model->train);
  std::map<std::int64_t, std::optional<Price>> prices;  // by the number of iterations
  if (found.is_whole) prices[found.recomputed > 0 ? found.recomputed : iterations] = found;
  const auto price_of = [&](std::int64_t count) -> std::optional<Price>& {
    const auto [at, fresh] = prices.try_emplace(count);
    if (!fresh) return at->second;
    Choice some = choice;
    some.recomputed = count < iterations ? count : 0;
    at->second = whole(some);
    if (at->second) at->second->recomputed = some.recomputed;
    return at->second;
  };
  // Where few parameters are gathered in an iteration, memory goes up and down with the number.
  if (iterations < many_iterations || few_iterations(models_, choice, given_) > fewest_iterations) {
    for (std::int64_t count = 1; count <= iterations; ++count) price_of(count);
  } else {
    look_around(found.recomputed > 0 ? found.recomputed : iterations - 1, iterations,
                [&](auto count) {
                  const std::optional<Price>& price = price_of(count);
                  return price && price->memory <= memory;
                });
    // What the last one computes again is needed at once in any case, but time may have fallen.
    const std::optional<Price>& most = price_of(iterations - 1);
    if (!most || most->memory > memory || (found.recomputed == 0 && found.step < most->step))
      price_of(iterations);
    // Memory may go up with the last ones: where none of these fits, others may.
    const auto fits = [&](const auto& one) { return one.second && one.second->memory <= memory; };
    for (std::int64_t count = iterations - 1; count > 0 && iterations <= most_looked_at &&
                                              std::none_of(prices.begin(), prices.end(), fits);
         --count)
      price_of(count);
  }
  std::optional<Price> best;
  for (auto& [count, price] : prices)
    if (price && (!best || is_preferred(*price, *best, memory))) best = std::move(price);
  return best;
}

}  // namespace mtfc::plan
