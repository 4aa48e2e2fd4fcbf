#include "plan/search/sensitivity.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "predict/mapping.h"

namespace mtfc::plan {
namespace {

class Finder {
 public:
  Finder(const Plan& plan, std::size_t level) : plan_(plan), level_(level) {
    // Slower links make no step shorter; those of which nothing else is known may be faster from
    // there on.
    for (const Excluded& one : plan.excluded)
      if (one.bytes == 0) unknown_ = std::min(unknown_, one.seconds);
    for (const Judged& one : plan.judged)
      if (one.fits && one.price.shares.empty()) unknown_ = std::min(unknown_, one.price.step);
    for (const Judged& one : plan.judged)
      if (one.choice.pipeline) staged_ = std::min(staged_, one.price.computing);
    if (!plan.is_proved()) unknown_ = std::min(unknown_, plan.bound);
  }

  Stability run() {
    Stability found{level_, 1, 1, {}, {}};
    found.low = last(-1, found.below);
    found.high = last(1, found.above);
    return found;
  }

 private:
  /// The farthest factor in one direction at which the best is still the best, and what is then
  /// better.
  double last(int direction, std::optional<Choice>& better) const {
    constexpr int per_octave = 4, bisections = 12;
    double good = 1, bad = 0;
    for (int i = 1; bad == 0; ++i) {
      const double factor = std::exp2(direction * static_cast<double>(i) / per_octave);
      if (factor > farthest || factor < 1 / farthest) return good;
      (is_best(factor, better) ? good : bad) = factor;
    }
    for (int i = 0; i < bisections; ++i) {
      const double middle = std::sqrt(good * bad);
      (is_best(middle, better) ? good : bad) = middle;
    }
    return good;
  }

  /// If not, `better` is the fastest of those that are known.
  bool is_best(double factor, std::optional<Choice>& better) const {
    double least = plan_.best->price.step_at(level_, factor);
    bool best = least <= (factor > 1 ? staged_ : factor < 1 ? unknown_ : least);
    if (!best) better.reset();
    // Within rounding: equal layouts do not take over from each other.
    least *= 1 - 1e-9;
    for (const Judged& one : plan_.judged) {
      if (one.price.shares.empty() || one.price.computing >= least) continue;
      const double step = one.price.step_at(level_, factor);
      if (step >= least) continue;
      least = step;
      best = false;
      better = one.choice;
    }
    return best;
  }

  const Plan& plan_;
  const std::size_t level_;
  double unknown_ = std::numeric_limits<double>::infinity();
  // Of pipelines it is not kept what each message takes: with faster links none goes below this.
  double staged_ = std::numeric_limits<double>::infinity();
};

}  // namespace

std::vector<Stability> stability(const Plan& plan, const predict::Machine& machine) {
  std::vector<Stability> all;
  if (plan.best->choice.pipeline) return all;
  const auto mapping = predict::map_mesh(plan.best->choice.mesh, machine);
  for (std::size_t i = 0; i < std::min(machine.levels.size(), most_levels); ++i)
    if (mapping && (*mapping)[i].units > 1) all.push_back(Finder(plan, i).run());
  return all;
}

}  // namespace mtfc::plan
