// What a search knows of the layouts that it has looked at: predicted from few iterations, and
// compiled whole where they may be the best.
#pragma once
#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plan/price/bounds.h"
#include "plan/search/judged.h"
#include "plan/search/limits.h"
#include "plan/search/node.h"
#include "plan/search/time_budget.h"

namespace mtfc::plan {

/// Known from few iterations: the best, if they say too much by this share.
struct Unsure {
  double share = 0;
  Choice choice;
  Price price;
};

class Predictions {
 public:
  /// All but the pricer outlive it. What it finds goes to `plan`.
  Predictions(const Space& space, const Limits& limits, const Bounds& bounds, Pricer pricer,
              TimeBudget& time, Plan& plan)
      : space_(space),
        limits_(limits),
        bounds_(bounds),
        pricer_(std::move(pricer)),
        time_(time),
        plan_(plan) {}

  bool cannot_win(double bound) const { return plan_.best && bound >= plan_.best->price.step; }
  bool is_known(const Choice& choice) const { return known_.contains(text_of(choice)); }
  /// Predicted if it is not known yet.
  const Known& known(const Choice& choice);
  /// What lives from step to step: of a variant that was predicted, or by its names. Where nothing
  /// is known that fits, each variant is predicted once, to say how much the smallest takes.
  double least_bytes(const Choice& choice) const;

  /// What was known so far goes by few iterations alone. Of these the fastest are compiled whole,
  /// until no other may be faster; one in any case. From then on at once.
  void compile_whole();
  /// Of what few iterations may have said too much, when nothing else is left to look at.
  void settle_doubts();
  /// Other cuts of pipelines, likewise; more of them the farther few iterations turn out to be off.
  void settle_cuts();
  /// What few iterations say is slower or larger than the margins allow: some more of it, that for
  /// which they have to be off least first. Says how far off they have to be for what is left.
  void look_further();
  /// Says which is the smallest; if nothing fits, with what a run of it holds outside of steps.
  void count_smallest();
  /// The least that each may take of what was not looked at when time was up.
  const std::vector<double>& open() const { return open_; }

 private:
  std::optional<Price> predict(const Choice& choice);
  bool may_be_best(const Price& price) const;
  /// Compiled whole if it may be the best. No: it stays as it is.
  bool look_closer(const Choice& choice, Price& price);
  bool takes_faster_cut(const Choice& choice, Price& price);
  void make_whole(const Choice& choice, Price& price);
  /// One of the cuts near that of `price`, compiled whole; nothing if it does not fit.
  std::optional<Price> near_as_whole(const Choice& choice, const Price& near, const Price& price);
  /// Of a pipeline that turned out not to fit: the next cut that does, after a few.
  void take_next_cut(const Choice& choice, Price& price);
  /// Of one that is compiled whole and may become the best.
  void count_beside_step(const Choice& choice, Price& price);
  /// What each takes at least for which there was no time.
  std::vector<double> compile_cuts_that_may_win();
  void doubt(const Choice& choice, const Price& price);
  double share_too_much_of(const Price& price) const;
  double share_of_step(double step) const;
  void trust_to(double share) { plan_.trusted_to = std::clamp(share, 0.0, plan_.trusted_to); }
  void compile_some_of(std::vector<Unsure>& all);
  void keep(const Choice& choice, Price price) {
    plan::keep(plan_, choice, std::move(price), limits_.memory);
  }

  const Space& space_;
  const Limits& limits_;
  const Bounds& bounds_;
  Pricer pricer_;
  TimeBudget& time_;
  Plan& plan_;
  bool by_few_ = true;  // nothing is compiled whole
  std::map<std::string, Known> known_;
  std::map<std::string, double> variables_;  // by rules and ways to keep and update
  std::vector<std::pair<double, Choice>> doubts_;
  std::set<std::string> cuts_;  // that were compiled whole
  std::vector<double> open_;
};

}  // namespace mtfc::plan
