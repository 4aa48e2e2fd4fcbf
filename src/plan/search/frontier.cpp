#include "plan/search/frontier.h"

#include <algorithm>
#include <limits>

namespace mtfc::plan {

std::vector<const Judged*> frontier(const Plan& plan) {
  std::vector<const Judged*> all;
  for (const Judged& one : plan.judged) all.push_back(&one);
  std::stable_sort(all.begin(), all.end(), [](const Judged* a, const Judged* b) {
    return a->price.step != b->price.step ? a->price.step < b->price.step
                                          : a->price.memory < b->price.memory;
  });
  double least = std::numeric_limits<double>::infinity();
  std::vector<const Judged*> front;
  for (const Judged* one : all) {
    if (one->price.memory >= least) continue;
    least = one->price.memory;
    front.push_back(one);
  }
  return front;
}

}  // namespace mtfc::plan
