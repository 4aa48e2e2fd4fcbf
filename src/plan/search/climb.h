// From one layout to another that differs in a single entry, as long as that helps: finds a layout
// that is hard to beat, so that bounds exclude much. It proves nothing.
#pragma once
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "plan/space/neighbours.h"
#include "plan/space/starts.h"

namespace mtfc::plan {

/// What is known of a layout: seconds of a step, bytes of a processor.
struct Standing {
  double step = 0, memory = 0;
  bool short_of_memory = false;  // computed again, it might be faster
};

class Climber {
 public:
  /// Nothing: it is not legal, or time is up.
  using Judge = std::function<std::optional<Standing>(const Choice&)>;
  /// About how many seconds it takes: what is much slower is not looked at, what is faster first.
  using Estimate = std::function<double(const Choice&)>;

  /// All outlive it. `limit`: bytes that a processor may hold.
  Climber(const Space& space, const DimTable& dims, const BlockScopes& scopes, double limit,
          Judge judge, Estimate estimate)
      : space_(space),
        dims_(dims),
        scopes_(scopes),
        limit_(limit),
        judge_(std::move(judge)),
        estimate_(std::move(estimate)) {}

  /// From the best of each kind of start (plan/space/starts.h) with these general rules, the best
  /// first. What does not fit is worth the less the more it lacks: at first a little, so that it is
  /// fast; in the end nothing else counts.
  void run(const std::vector<Choice>& bases, const Holding& holding) const;

 private:
  /// With what it is worth; less is better.
  using Ranked = std::vector<std::pair<double, Choice>>;
  Ranked ranked(const Starts& starts) const;
  Ranked starts(const std::vector<Choice>& bases, const Holding& holding) const;
  double score(const Choice& choice, double weight) const;
  bool is_short_of_memory(const Choice& choice) const;
  std::vector<Choice> worth_a_look(const Choice& at) const;
  void climb(Choice& at, double weight) const;

  const Space& space_;
  const DimTable& dims_;
  const BlockScopes& scopes_;
  const double limit_;
  const Judge judge_;
  const Estimate estimate_;
};

}  // namespace mtfc::plan
