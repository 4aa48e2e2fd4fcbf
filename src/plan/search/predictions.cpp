#include "plan/search/predictions.h"

#include <algorithm>

namespace mtfc::plan {
namespace {

/// What it takes at least, whatever of it is computed again.
double least_of(const Price& price) {
  return (price.likely > 0 ? price.least : price.step) * (1 - price.slack);
}

}  // namespace

const Known& Predictions::known(const Choice& choice) {
  const auto [at, fresh] = known_.try_emplace(text_of(choice));
  if (!fresh) return at->second;
  std::optional<Price> price = predict(choice);
  if (!price) {
    ++plan_.illegal;
    return at->second;
  }
  at->second.legal = true;
  at->second.take(*price, limits_.memory);
  // More micro-batches, and what is gathered once for all of them, add to these.
  if (!choice.pipeline && choice.microbatches == space_.microbatches.front() &&
      choice.gather != Gather::step)
    variables_.try_emplace(key_of(choice), price->variables);
  keep(choice, std::move(*price));
  return at->second;
}

double Predictions::least_bytes(const Choice& choice) const {
  const auto found = choice.pipeline ? variables_.end() : variables_.find(key_of(choice));
  const double known = found == variables_.end() ? 0 : found->second;
  return plan_.best ? std::max(known, bounds_.variable_bytes(choice)) : known;
}

/// From few iterations; what may be the best is compiled whole.
std::optional<Price> Predictions::predict(const Choice& choice) {
  const double since = time_.taken();
  std::optional<Price> price = pricer_.predicted(choice, limits_.memory);
  if (price && !price->is_whole) time_.note_few(since, pricer_.few_share(choice));
  if (price && price->is_whole) count_beside_step(choice, *price);
  if (price && !by_few_ && !look_closer(choice, *price)) doubt(choice, *price);
  return price;
}

/// What does not fit in an evaluation does not fit. It is looked at last, since it takes long and
/// is seldom more than a step's.
void Predictions::count_beside_step(const Choice& choice, Price& price) {
  if (price.memory > limits_.memory || (plan_.best && price.step > plan_.best->price.step)) return;
  Choice made = price.pipeline ? decided(choice, *price.pipeline) : choice;
  made.recomputed = price.recomputed;
  pricer_.count_beside_step(made, price);
}

void Predictions::count_smallest() {
  plan_.smallest = smallest_of(plan_);
  if (!plan_.best && plan_.smallest && plan_.smallest->price.is_whole && !time_.is_up())
    pricer_.count_beside_step(plan_.smallest->choice, plan_.smallest->price);
}

bool Predictions::may_be_best(const Price& price) const {
  if (price.is_whole || price.memory * (1 - price.slack_of_memory) > limits_.memory) return false;
  return !cannot_win((price.likely > 0 ? price.likely : price.step) * (1 - price.slack));
}

bool Predictions::look_closer(const Choice& choice, Price& price) {
  if (takes_faster_cut(choice, price)) return true;
  if (!may_be_best(price)) return false;
  make_whole(choice, price);
  if (price.memory > limits_.memory) take_next_cut(choice, price);
  return true;
}

std::optional<Price> Predictions::near_as_whole(const Choice& choice, const Price& near,
                                                const Price& price) {
  Price whole = near;
  make_whole(choice, whole);
  if (!whole.is_whole) return std::nullopt;
  if (whole.memory > limits_.memory) {
    keep(choice, std::move(whole));
    return std::nullopt;
  }
  whole.others = price.others;
  return whole;
}

void Predictions::take_next_cut(const Choice& choice, Price& price) {
  constexpr int most = 4;
  int tried = 0;
  if (!price.others) return;
  for (const Price& other : price.others->near) {
    if (!may_be_best(other) || cuts_.contains(text_of(decided(choice, *other.pipeline)))) continue;
    if (++tried > most || time_.is_up()) return;
    std::optional<Price> whole = near_as_whole(choice, other, price);
    if (!whole) continue;
    keep(choice, std::move(price));
    price = std::move(*whole);
    return;
  }
}

/// Whether a cut that is faster than what few iterations say is the best that fits does so, too:
/// that instead.
bool Predictions::takes_faster_cut(const Choice& choice, Price& price) {
  if (!price.others) return false;
  const bool fits = price.memory <= limits_.memory;
  for (const Price& other : price.others->near) {
    if ((fits && !is_faster(other.step, price.step)) || !may_be_best(other)) continue;
    std::optional<Price> whole = near_as_whole(choice, other, price);
    if (!whole) continue;
    price = std::move(*whole);
    return true;
  }
  return false;
}

void Predictions::settle_cuts() {
  std::vector<double> left;
  const auto seen = [&] { return plan_.pipeline_time_excess + plan_.pipeline_memory_excess; };
  double known = 0;
  do {
    known = seen();
    left = compile_cuts_that_may_win();
  } while (seen() > known);
  open_.insert(open_.end(), left.begin(), left.end());
}

std::vector<double> Predictions::compile_cuts_that_may_win() {
  struct Open {
    Choice choice;
    Price price;
    double least = 0;
  };
  std::vector<Open> all;
  std::vector<double> left;
  const auto look_at = [&](const Choice& choice, const Price& price) {
    const double least = price.step * (1 - plan_.slack_of(price));
    if (!price.is_whole && !cannot_win(least) &&
        price.memory * (1 - plan_.memory_slack_of(price)) <= limits_.memory)
      all.push_back({choice, price, least});
  };
  for (const Judged& one : plan_.judged) {
    if (one.price.pipeline) look_at(one.asked, one.price);
    if (!one.price.others) continue;
    for (const Price& other : one.price.others->near) look_at(one.asked, other);
    for (const Price& other : one.price.others->far) look_at(one.asked, other);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Open& a, const Open& b) { return a.least < b.least; });
  for (Open& one : all) {
    if (cannot_win(one.least) || (limits_.any && plan_.best)) break;
    if (cuts_.contains(text_of(decided(one.choice, *one.price.pipeline)))) continue;
    if (time_.is_up()) {
      left.push_back(one.least);
      continue;
    }
    take_from_few(plan_, one.choice, one.price.pipeline);
    make_whole(one.choice, one.price);
    if (one.price.is_whole) keep(one.choice, std::move(one.price));
  }
  return left;
}

/// Few iterations say that it is fast and does not fit. They are seldom far off, but nothing says
/// how far, unless what lives from step to step does not fit alone.
void Predictions::doubt(const Choice& choice, const Price& price) {
  if (price.is_whole || price.pipeline || price.variables > limits_.memory ||
      price.memory <= limits_.memory)
    return;
  if (const double least = least_of(price); !cannot_win(least)) doubts_.emplace_back(least, choice);
}

void Predictions::settle_doubts() {
  for (auto& one : doubtful(plan_, limits_.memory)) doubts_.push_back(std::move(one));
  std::stable_sort(doubts_.begin(), doubts_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [least, choice] : doubts_) {
    if (cannot_win(least) || (limits_.any && plan_.best)) break;
    if (time_.is_up()) {
      open_.push_back(least);
      continue;
    }
    std::optional<Price> few = take_from_few(plan_, choice);
    if (!few) continue;
    make_whole(choice, *few);
    keep(choice, std::move(*few));
  }
}

void Predictions::make_whole(const Choice& choice, Price& price) {
  Choice cut = choice;
  if (price.pipeline) {
    cut.pipeline = price.pipeline;
    cuts_.insert(text_of(decided(choice, *price.pipeline)));
  }
  const double since = time_.taken();
  const int before = pricer_.whole_ones();
  const bool again = choice.recompute != Recompute::none && !choice.pipeline;
  std::optional<Price> whole =
      again ? pricer_.whole_within(uncut(cut), price, limits_.memory) : pricer_.whole(cut);
  time_.note_whole(since, pricer_.whole_ones() - before);
  if (!whole) {
    if (price.pipeline && price.pipeline->submeshes) open_.push_back(price.least);
    return;
  }
  whole->pipeline = price.pipeline;
  // Where every cut was looked at, this is the fastest of them.
  whole->least = price.least < price.step ? std::min(price.least, whole->step) : whole->step;
  whole->floor = std::min(price.floor, whole->floor);
  whole->others = price.others;
  whole->most_slack = price.most_slack;
  whole->most_slack_of_memory = price.most_slack_of_memory;
  whole->short_of_memory = price.short_of_memory;
  if (whole->recomputed == price.recomputed) note_deviation(plan_, price, *whole);
  count_beside_step(choice, *whole);
  price = std::move(*whole);
}

void Predictions::compile_whole() {
  std::vector<Judged> found;
  std::swap(found, plan_.judged);
  plan_.whole = 0;
  std::stable_sort(found.begin(), found.end(),
                   [](const Judged& a, const Judged& b) { return a.price.step < b.price.step; });
  const int most_late = limits_.any ? 1 : 4;
  constexpr double later = 1.1;  // of the time
  int late = 0;
  for (Judged& one : found) {
    // With no time left what is more likely to fit; beside a best one the first few.
    const bool is_late = time_.is_up();
    const bool look =
        !is_late ||
        (one.price.memory <= limits_.memory &&
         (!plan_.best || (late < most_late && time_.taken() < later * limits_.seconds)));
    if (look && look_closer(one.asked, one.price)) {
      late += is_late;
      known_[text_of(one.asked)].take(one.price, limits_.memory);
    } else {
      doubt(one.asked, one.price);
    }
    keep(one.asked, std::move(one.price));
  }
  by_few_ = false;
}

}  // namespace mtfc::plan
