#include "plan/search/without.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace mtfc::plan {
Price in_proportion(Price price, const Price& few, const Price& whole) {
  price.step *= whole.step / few.step;
  price.memory *= whole.memory / few.memory;
  return price;
}

namespace {

/// The entries of the best in order; micro-batches last, as "4 micro-batches". All are compiled
/// whole; if `quickly`, with few iterations, and the prices are in proportion to that of the best
/// that is compiled so. What is faster and fits in `memory` bytes in steps must do so outside of
/// them, too: if it did not, it would be taken for better than the best.
std::vector<Without> without_each(const Judged& best, Pricer& pricer, double memory, bool quickly) {
  const Choice& choice = best.choice;
  const std::optional<Price> few = quickly ? pricer.estimated(choice) : std::nullopt;
  std::vector<Without> list;
  const auto add = [&](std::string entry, const Choice& other) {
    std::optional<Price> price = few ? pricer.estimated(other) : pricer.whole(other);
    if (price && few) price = in_proportion(std::move(*price), *few, best.price);
    if (price && price->memory <= memory && price->step < best.price.step)
      pricer.count_beside_step(other, *price);
    list.push_back({std::move(entry), std::move(price), other});
  };
  const std::vector<std::string> entries = entries_of(choice);
  const auto beginning = [&](std::string_view text) {
    return *std::find_if(entries.begin(), entries.end(),
                         [&](const std::string& entry) { return entry.rfind(text, 0) == 0; });
  };
  for (std::size_t i = 0; i < choice.rules.size(); ++i) {
    Choice other = choice;
    other.rules.erase(other.rules.begin() + static_cast<std::ptrdiff_t>(i));
    add(entries[i], other);
  }
  for (std::size_t i = 0; i < choice.blocks.size(); ++i) {
    Choice other = choice;
    other.blocks.erase(other.blocks.begin() + static_cast<std::ptrdiff_t>(i));
    add(entries[choice.rules.size() + i], other);
  }
  Choice other = choice;
  other.kept.clear();
  // What blocks split is gathered all the same.
  if (choice.blocks.empty()) other.gather = Gather::again;
  if (!choice.kept.empty()) add(entries[choice.rules.size() + choice.blocks.size()], other);
  other = choice;
  other.sharded_update = false;
  if (choice.sharded_update) add(beginning("set update="), other);
  other = choice;
  other.gather = Gather::again;
  if (choice.gather != Gather::again) add(beginning("set gather="), other);
  other = choice;
  other.recompute = Recompute::none;
  other.recomputed = 0;
  if (choice.recompute != Recompute::none) add(beginning("set recompute="), other);
  other = choice;
  other.microbatches = 1;
  if (choice.microbatches > 1 && !choice.pipeline)
    add(std::to_string(choice.microbatches) + " micro-batches", other);
  return list;
}

}  // namespace

std::vector<Without> prune_best(Plan& plan, Pricer& pricer, double memory, bool quickly) {
  for (;;) {
    std::vector<Without> list = without_each(*plan.best, pricer, memory, quickly);
    const Price& best = plan.best->price;
    // Of the space nothing is faster than what is proved to be the best.
    const auto is_worth = [&](const Price& price) {
      const bool same = price.step == best.step && price.memory == best.memory && price.is_whole;
      return same || (!plan.is_proved() && price.step < best.step);
    };
    std::optional<Judged> faster;
    for (const Without& one : list) {
      // How many micro-batches there are may have been given.
      if (one.choice.microbatches != plan.best->choice.microbatches) continue;
      if (!one.price || !is_worth(*one.price)) continue;
      // In proportion is not sure enough to replace what was compiled whole.
      std::optional<Price> price = quickly ? pricer.whole(one.choice) : one.price;
      if (!price || price->memory > memory || !is_worth(*price)) continue;
      if (faster && faster->price.step <= price->step) continue;
      pricer.count_beside_step(one.choice, *price);
      if (price->memory > memory) continue;
      faster = Judged{one.choice, *price, true};
    }
    if (!faster) return list;
    std::erase_if(plan.judged, [&](const Judged& one) { return one.choice == faster->choice; });
    plan.judged.push_back(*faster);
    plan.whole += faster->price.is_whole ? 1 : 0;
    plan.best = std::move(faster);
  }
}

}  // namespace mtfc::plan
