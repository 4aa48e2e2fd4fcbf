#include "plan/search/judged.h"

#include <algorithm>
#include <cmath>

namespace mtfc::plan {
namespace {

/// Of what takes and holds the same, fewer entries.
bool is_better(const Judged& one, const Judged& other) {
  const auto worth = [](const Judged& of) { return std::pair(of.price.step, of.price.memory); };
  if (worth(one) != worth(other)) return worth(one) < worth(other);
  return entries_of(one.choice).size() < entries_of(other.choice).size();
}

}  // namespace

void keep(Plan& plan, const Choice& choice, Price price, double memory) {
  Judged judged{choice, std::move(price), false, choice};
  const Price& made = judged.price;
  judged.fits = made.memory <= memory;
  if (made.pipeline) judged.choice = decided(choice, *made.pipeline);
  judged.choice.recomputed = made.recomputed;
  plan.whole += made.is_whole;
  if (judged.fits && made.is_whole && (!plan.best || is_better(judged, *plan.best)))
    plan.best = judged;
  // Faster links change nothing for those that compute longer than the best takes.
  if (!judged.fits)
    judged.price.shares.clear();
  else if (plan.best && made.computing >= plan.best->price.step)
    judged.price.keep_slower();
  plan.judged.push_back(std::move(judged));
}

std::optional<Judged> smallest_of(const Plan& plan) {
  const auto at = std::min_element(
      plan.judged.begin(), plan.judged.end(),
      [](const Judged& a, const Judged& b) { return a.price.memory < b.price.memory; });
  return at == plan.judged.end() ? std::nullopt : std::optional(*at);
}

std::vector<std::pair<double, Choice>> doubtful(const Plan& plan, double memory) {
  std::vector<std::pair<double, Choice>> found;
  for (const Judged& one : plan.judged)
    if (!one.price.is_whole && !one.price.pipeline &&
        one.price.memory * (1 - memory_slack) <= memory && plan.excess > one.price.slack)
      found.emplace_back(one.price.step / (1 + plan.excess), one.asked);
  return found;
}

void note_deviation(Plan& plan, const Price& of_few, const Price& whole) {
  const auto larger = [](double known, double few, double all) {
    return std::max(known, std::abs(all / few - 1));
  };
  plan.excess = std::max(plan.excess, of_few.step / whole.step - 1);
  if (of_few.pipeline) {
    plan.pipeline_time_excess = std::max(plan.pipeline_time_excess, 1 - whole.step / of_few.step);
    plan.pipeline_memory_excess =
        std::max(plan.pipeline_memory_excess, 1 - whole.memory / of_few.memory);
  }
  plan.deviation = larger(plan.deviation, of_few.step, whole.step);
  plan.memory_deviation = larger(plan.memory_deviation, of_few.memory, whole.memory);
}

std::optional<Price> take_from_few(Plan& plan, const Choice& choice,
                                   const std::optional<Pipeline>& cut) {
  const auto at = std::find_if(plan.judged.begin(), plan.judged.end(), [&](const Judged& one) {
    return !one.price.is_whole && one.asked == choice && one.price.pipeline == cut;
  });
  if (at == plan.judged.end()) return std::nullopt;
  Price price = std::move(at->price);
  plan.judged.erase(at);
  return price;
}

std::vector<Choice> fastest_pipelines(const Plan& plan, std::size_t most) {
  std::vector<std::pair<double, const Choice*>> all;
  for (const Judged& one : plan.judged)
    if (one.choice.pipeline) all.emplace_back(one.price.step, &one.choice);
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Choice> fastest;
  for (std::size_t i = 0; i < std::min(most, all.size()); ++i) fastest.push_back(*all[i].second);
  return fastest;
}

}  // namespace mtfc::plan
