// The margins within which few iterations are trusted are measured, not proved. With some time more
// a search looks further than they say, and says how far.
#include <algorithm>
#include <cmath>
#include <limits>

#include "plan/search/predictions.h"

namespace mtfc::plan {

double Predictions::share_of_step(double step) const {
  const double best = plan_.best ? plan_.best->price.step : std::numeric_limits<double>::infinity();
  return share_too_much(step, 0, best, limits_.memory);
}

double Predictions::share_too_much_of(const Price& price) const {
  const double best = plan_.best ? plan_.best->price.step : std::numeric_limits<double>::infinity();
  // Computed again in fewer iterations it takes less time.
  const double step = price.likely > 0 ? price.least : price.step;
  return share_too_much(step, price.memory, best, limits_.memory);
}

void Predictions::look_further() {
  std::vector<Unsure> all;
  const auto add = [&](const Choice& choice, const Price& price) {
    if (price.is_whole || price.variables > limits_.memory) return;
    if (price.pipeline && cuts_.contains(text_of(decided(choice, *price.pipeline)))) return;
    const double share = share_too_much_of(price);
    if (share < furthest_share)
      all.push_back({share, choice, price});
    else
      trust_to(share);
  };
  for (const Judged& one : plan_.judged) {
    add(one.asked, one.price);
    if (!one.price.others) continue;
    for (const Price& other : one.price.others->near) add(one.asked, other);
    for (const Price& other : one.price.others->far) add(one.asked, other);
    trust_to(std::max(one.price.others->further, share_of_step(one.price.others->beyond)));
    double before = 0;
    for (const Unpriced& unpriced : one.price.others->unpriced) {
      if (std::isfinite(unpriced.least)) trust_to(std::max(before, share_of_step(unpriced.least)));
      before = unpriced.share;
    }
    if (before > 0) trust_to(before);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Unsure& a, const Unsure& b) { return a.share < b.share; });
  compile_some_of(all);
}

void Predictions::compile_some_of(std::vector<Unsure>& all) {
  // So many that a small model is compiled in all these ways.
  constexpr std::size_t fewest = 256;
  constexpr double share_of_time = 0.5, shortest = 4;  // seconds
  const double end = time_.taken() + std::max(shortest, share_of_time * time_.taken());
  std::size_t left = std::max(fewest, plan_.whole);
  for (Unsure& one : all) {
    const double share = share_too_much_of(one.price);  // of the best by now
    const bool is_over = left == 0 || time_.taken() > end || time_.is_up() || limits_.any;
    if (is_over || share >= furthest_share) {
      trust_to(share);
      continue;
    }
    if (one.price.pipeline && cuts_.contains(text_of(decided(one.choice, *one.price.pipeline))))
      continue;
    take_from_few(plan_, one.choice, one.price.pipeline);
    --left;
    make_whole(one.choice, one.price);
    keep(one.choice, std::move(one.price));
  }
}

}  // namespace mtfc::plan
