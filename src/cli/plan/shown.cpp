#include "cli/plan/shown.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>

#include "plan/search/frontier.h"
#include "support/text.h"

namespace mtfc::cli {

using plan::Judged;
using plan::Plan;

namespace {

constexpr std::size_t most_rivals = 3;

/// Layouts of one kind differ in the axes and the mesh.
std::string kind_of(const plan::Choice& choice) {
  std::set<std::string> dims;
  for (const plan::Split& split : choice.rules) dims.insert(split.dim);
  std::string kind = joined(dims, ",");
  for (const plan::BlockSplit& block : choice.blocks)
    for (const plan::Split& split : block.splits) kind += ";" + split.dim;
  if (!choice.kept.empty()) kind += ";kept";
  if (choice.sharded_update) kind += ";update";
  if (choice.pipeline) kind += choice.pipeline->submeshes ? ";submeshes" : ";pipeline";
  if (choice.recompute != plan::Recompute::none) kind += ";recompute";
  return kind + (choice.microbatches > 1 ? ";microbatches" : "");
}

/// The first of all that is shown that is not counted yet; null: there is none.
Judged* next_to_count(Plan& plan) {
  std::vector<const Judged*> shown = fastest_of(plan);
  for (const auto& list : {shown_of(plan::frontier(plan)), slower_kinds(plan)})
    shown.insert(shown.end(), list.begin(), list.end());
  for (const Judged* one : shown)
    if (!one->price.counts_outside) return plan.judged.data() + (one - plan.judged.data());
  return nullptr;
}

}  // namespace

std::vector<const Judged*> fastest_of(const Plan& plan) {
  constexpr std::size_t most = 10;
  std::vector<const Judged*> list;
  const auto text_of = [](const Judged& one) {
    return plan::meshes_text(one.choice) + "; " + plan::description(one.choice);
  };
  std::set<std::string> whole;  // what was compiled; it may have been added up, too
  for (const Judged& one : plan.judged)
    if (one.price.is_whole) whole.insert(text_of(one));
  for (const Judged& one : plan.judged)
    if (one.fits && (one.price.is_whole || !whole.contains(text_of(one)))) list.push_back(&one);
  const auto worth = [](const Judged* one) {
    return std::tuple(one->price.step, one->price.memory, plan::entries_of(one->choice).size());
  };
  std::stable_sort(list.begin(), list.end(),
                   [&](const Judged* a, const Judged* b) { return worth(a) < worth(b); });
  list.erase(std::unique(list.begin(), list.end(),
                         [](const Judged* a, const Judged* b) {
                           return a->price.step == b->price.step &&
                                  a->price.memory == b->price.memory;
                         }),
             list.end());
  list.resize(std::min(list.size(), most));
  return list;
}

std::vector<const Judged*> shown_of(const std::vector<const Judged*>& front) {
  constexpr std::size_t most = 6;
  if (front.size() <= most) return front;
  std::vector<const Judged*> shown;
  for (std::size_t i = 0; i < most; ++i)
    shown.push_back(front[i * (front.size() - 1) / (most - 1)]);
  return shown;
}

std::vector<const plan::Judged*> slower_kinds(const plan::Plan& plan) {
  std::vector<const plan::Judged*> order;
  for (const plan::Judged& one : plan.judged)
    // What is as fast does not lose.
    if (one.fits && one.price.step >= plan.best->price.step * (1 + 1e-4)) order.push_back(&one);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return a->price.step < b->price.step; });
  std::set<std::string> kinds = {kind_of(plan.best->choice)};
  std::erase_if(
      order, [&](const plan::Judged* one) { return !kinds.insert(kind_of(one->choice)).second; });
  const auto differs = [&](const plan::Judged* one) {
    return one->choice.pipeline.has_value() != plan.best->choice.pipeline.has_value();
  };
  if (const auto other = std::find_if(order.begin(), order.end(), differs);
      other != order.end() && other - order.begin() >= std::ptrdiff_t{most_rivals})
    order[most_rivals - 1] = *other;
  order.resize(std::min(order.size(), most_rivals));
  return order;
}

void count_shown(Plan& plan, plan::Pricer& pricer, double memory, const solve::Clock& clock) {
  while (!clock.is_up()) {
    Judged* const one = next_to_count(plan);
    if (!one) return;
    pricer.count_beside_step(one->choice, one->price);
    one->price.counts_outside = true;
    one->fits = one->fits && one->price.memory <= memory;
  }
}

}  // namespace mtfc::cli
