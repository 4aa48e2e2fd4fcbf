// The time that a search has, some of which is kept for what has to be compiled whole in the end.
#pragma once
#include <algorithm>

#include "solve/clock.h"

namespace mtfc::plan {

class TimeBudget {
 public:
  /// Starts now. `limit`: seconds.
  explicit TimeBudget(double limit) : clock_(limit) {}

  /// What is left is so much less.
  void shorten(double share) { clock_ = solve::Clock(share * clock_.left()); }
  double taken() const { return clock_.elapsed(); }
  bool is_up() const { return clock_.left() < whole_; }

  /// Seconds that it may take to compile one whole.
  double whole() const { return whole_; }
  /// So many layouts were compiled whole, from `since` until now.
  void note_whole(double since, int count) {
    whole_ = std::max(knows_whole_ ? whole_ : 0, (taken() - since) / std::max(1, count));
    knows_whole_ = true;
  }
  /// One was compiled with few iterations, `share` of all.
  void note_few(double since, double share) {
    // A program that is whole has evaluations too, and its model is elaborated.
    constexpr double more = 2;
    if (!knows_whole_) whole_ = std::max(whole_, more * (taken() - since) / share);
  }

 private:
  solve::Clock clock_;
  double whole_ = 0;
  bool knows_whole_ = false;
};

}  // namespace mtfc::plan
