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
      if (one.fits && !one.price.has_step_at(0.5)) unknown_ = std::min(unknown_, one.price.step);
    for (const Judged& one : plan.judged)
      if (one.choice.pipeline) staged_ = std::min(staged_, one.price.computing);
    if (!plan.is_proved()) unknown_ = std::min(unknown_, plan.bound);
  }

  Stability run() {
    Stability found{level_, {}, {}, {}, {}};
    found.predicted = {last(-1, found.below), last(1, found.above)};
    proves_ = true;
    std::optional<Choice> known;
    found.proved = {last(-1, known), last(1, known)};
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
    bool best =
        !proves_ || factor == 1 || least <= (factor > 1 ? least_of_others(factor) : unknown_);
    // Within rounding: equal layouts do not take over from each other.
    least *= 1 - 1e-9;
    for (const Judged& one : plan_.judged) {
      if (!one.fits || !one.price.has_step_at(factor) || one.price.computing >= least) continue;
      const double step = one.price.step_at(level_, factor);
      if (step >= least) continue;
      least = step;
      best = false;
      better = one.choice;
    }
    return best;
  }

  /// Of what was not predicted, or not for other links, with faster ones.
  double least_of_others(double factor) const {
    double least = plan_.is_proved() ? staged_ : std::min(staged_, plan_.bound / factor);
    for (const Excluded& one : plan_.excluded)
      if (one.bytes == 0) least = std::min(least, one.links.least(one.seconds, factor));
    return least;
  }

  const Plan& plan_;
  const std::size_t level_;
  bool proves_ = false;  // against what was not predicted as well
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
