#include "plan/search/search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

#include "plan/price/bounds.h"
#include "plan/price/estimates.h"
#include "plan/search/climb.h"
#include "plan/search/families.h"
#include "plan/search/node.h"
#include "plan/search/predictions.h"
#include "plan/space/block_scopes.h"
#include "plan/space/variants.h"

namespace mtfc::plan {
namespace {

class Search {
 public:
  Search(const Space& space, const Models& models, const SourceMap& sources,
         const predict::Machine& machine, const Limits& limits)
      : space_(space),
        model_(*models.find(space.microbatches.front())),
        limits_(limits),
        scopes_(space, model_),
        work_(space, models, sources, machine),
        bounds_(space, work_, machine),
        work_bounds_(space, work_, machine, Bounds::Of::work),
        least_memory_(bounds_.variable_bytes(processors_of(space))),
        estimates_(work_, machine),
        found_(space, limits, bounds_, {models, sources, machine, space.given, space.submeshes},
               time_, plan_) {}

  Plan run() {
    if (cannot_fit()) {
      if (limits_.any) return nothing_fits();
      time_.shorten(0.25);  // enough to say about what takes the least
    }
    add_rules();
    climb();
    found_.compile_whole();
    try_best_pipelines();
    while (!nodes_.empty() && !(limits_.any && plan_.best)) {
      Node node = nodes_.top();
      nodes_.pop();
      look_at(node);
    }
    found_.settle_doubts();
    found_.settle_cuts();
    found_.look_further();
    found_.settle_cuts();
    found_.count_smallest();
    open_.insert(open_.end(), found_.open().begin(), found_.open().end());
    if (cannot_fit() && !open_.empty()) return nothing_fits();
    const std::vector<double> cuts = other_cuts();
    plan_.open = open_.size();
    plan_.open_cuts = cuts.size();
    double bound = plan_.best ? plan_.best->price.step : std::numeric_limits<double>::infinity();
    open_.insert(open_.end(), cuts.begin(), cuts.end());
    for (const double of_open : open_) bound = std::min(bound, of_open);
    return with_bound(bound);
  }

 private:
  /// However variables are split.
  bool cannot_fit() const { return least_memory_ > limits_.memory; }
  Plan nothing_fits() {
    plan_.least_memory = least_memory_;
    plan_.cut_short = 0;
    return with_bound(std::numeric_limits<double>::infinity());
  }
  Plan with_bound(double bound) {
    plan_.bound = bound;
    plan_.whole_seconds = time_.whole();
    return std::move(plan_);
  }

  void push(Node node) {
    node.number = count_++;
    nodes_.push(std::move(node));
  }

  /// The sets of general rules, alone and with a dimension split further where that is free.
  /// Of equal bounds those with the fewest rules come first: they communicate least.
  void add_rules() {
    Families families = families_of(
        space_, model_.dims, [&](const Choice& choice) { return estimates_.seconds(choice); },
        time_);
    bases_ = std::move(families.bases);
    // Of those that are not looked at no dimension is split over more than all axes.
    for (const Choice& plain : families.cut_short) {
      std::vector<std::string> axes;
      for (const MeshAxis& axis : plain.mesh.axes) axes.push_back(axis.name);
      std::vector<Split> all;
      for (const std::string& dim : space_.dims) all.push_back({dim, axes});
      open_.push_back(bounds_.family_seconds(plain, all));
    }
    plan_.cut_short = families.cut_short.size();
    for (std::size_t i = 0; i < bases_.size(); ++i) {
      const Choice& base = bases_[i];
      push({Excluded::What::rules, bounds_.family_seconds(base), 0, i});
      for (Scopings& one : scopes_.ways(base)) {
        const double bound = bounds_.family_seconds(base, scopes_.further(one));
        push({Excluded::What::rules, bound, 0, i, std::move(one)});
      }
    }
  }

  void climb() {
    const auto judge = [&](const Choice& choice) -> std::optional<Standing> {
      if (time_.is_up()) return std::nullopt;
      const Known& found = found_.known(choice);
      return found.legal ? std::optional(Standing{found.step, found.memory, found.short_of_memory})
                         : std::nullopt;
    };
    const auto estimate = [&](const Choice& choice) { return estimates_.seconds(choice); };
    const auto named_bytes = [&](const Choice& choice) {
      return variable_bytes(work_, choice, choice.sharded_update);
    };
    Climber(space_, model_.dims, scopes_, limits_.memory, judge, estimate)
        .run(bases_, {named_bytes, limits_.memory});
  }

  /// Of the best pipelines of equal stages: with others, and computed again in part, which may be
  /// as fast and takes less memory. The bounds say little of which are good.
  void try_best_pipelines() {
    for (const Choice& one : fastest_pipelines(plan_, 3))
      for (const Choice& other : variants_of_pipeline(space_, one))
        if (!time_.is_up()) found_.known(other);
  }

  /// Of a node's bound: how sums count in a pipeline's depends on its cut, and all may be such.
  Links links_of(const Node& node) const {
    if (node.choice) return node.links;
    const Choice& base = bases_[node.base];
    const double work = work_bounds_.family_seconds(base, scopes_.further(node.scopings));
    return {work, base.pipeline ? node.bound : node.bound - work};
  }
  /// The same once one of its layouts is known, whose work all have.
  Links links_of(const Node& node, double floor) const {
    const Links links = links_of(node);
    return {std::max(links.computing, floor), floor >= node.bound ? 0 : links.sums};
  }

  /// The layout of a node; the first of several. Nothing: there is none.
  std::optional<Choice> choice_of(const Node& node) const {
    if (node.choice) return *node.choice;
    Choice choice = bases_[node.base];
    choice.microbatches = space_.microbatches.front();
    return scopes_.with(choice, node.scopings);
  }

  void look_at(const Node& node) {
    if (!found_.cannot_win(node.bound) && time_.is_up()) {
      open_.push_back(node.bound);
      return;
    }
    const std::optional<Choice> choice = choice_of(node);
    if (!choice) return;
    if (choice->pipeline && node.what == Excluded::What::rules && !found_.cannot_win(node.bound)) {
      push_microbatches(node, *choice);
      return;
    }
    if (node.what == Excluded::What::layout && found_.is_known(*choice) && !is_recomputed(*choice))
      return;
    if (found_.cannot_win(node.bound))
      plan_.excluded.push_back({node.what, *choice, node.bound, 0, links_of(node)});
    else if (found_.is_known(*choice))
      take(node, *choice);
    else if (const double bytes = found_.least_bytes(*choice);
             node.what == Excluded::What::layout && bytes > limits_.memory)
      plan_.excluded.push_back({node.what, *choice, node.bound, bytes});
    else
      take(node, *choice);
  }

  /// A pipeline with few micro-batches is slow: unlike of one without, each number has a bound of
  /// its own.
  void push_microbatches(const Node& node, const Choice& choice) {
    for (const std::int64_t count : space_.microbatches) {
      if (count == 1) continue;
      auto one = std::make_shared<Choice>(choice);
      one->microbatches = count;
      const auto least = [&](const Bounds& some) {
        return some.staged_seconds(bases_[node.base], count, true, scopes_.further(node.scopings));
      };
      const double bound = least(bounds_);
      push({Excluded::What::pipeline,
            bound,
            0,
            0,
            {},
            std::move(one),
            {least(work_bounds_), bound}});
    }
  }

  /// Where a pipeline might be faster, or fit, if it were cut otherwise: what it takes at least.
  std::vector<double> other_cuts() const {
    std::vector<double> least;
    for (const Judged& one : plan_.judged) {
      const Price& price = one.price;
      if (!one.choice.pipeline) continue;
      if (!price.others) continue;
      const double slack = plan_.slack_of(price);
      const double share = plan_.memory_slack_of(price) / memory_weight;
      double unlisted = price.others->further <= std::max(slack, share)
                            ? price.others->beyond
                            : std::numeric_limits<double>::infinity();
      for (const Unpriced& unpriced : price.others->unpriced) {
        unlisted = std::min(unlisted, unpriced.least);
        if (unpriced.share >= share) break;
      }
      unlisted *= 1 - slack;
      if (std::isfinite(unlisted) && !found_.cannot_win(unlisted)) least.push_back(unlisted);
    }
    return least;
  }

  void take(const Node& node, const Choice& choice) {
    const Known& found = found_.known(choice);
    if (!found.legal) {
      // What axes do not divide in so many micro-batches they may divide in more.
      if (node.what != Excluded::What::layout)
        push_more_microbatches(choice, node.bound, links_of(node));
      return;
    }
    const double floor = std::max(node.bound, found.floor);
    const Links links = links_of(node, found.floor);
    if (is_recomputed(choice)) push_recomputed(choice, floor, links);
    if (node.what == Excluded::What::layout) return;
    if (found_.cannot_win(floor)) {
      plan_.excluded.push_back({node.what, choice, floor, 0, links});  // its variants
      return;
    }
    for (Choice& variant : variants_of(space_, choice, model_.dims))
      push({Excluded::What::layout,
            floor,
            0,
            0,
            {},
            std::make_shared<const Choice>(std::move(variant)),
            links});
    push_more_microbatches(choice, floor, links);
  }

  /// Of a pipeline each number is a node of its own.
  void push_more_microbatches(const Choice& choice, double bound, const Links& links) {
    if (choice.pipeline) return;
    const auto more = std::upper_bound(space_.microbatches.begin(), space_.microbatches.end(),
                                       choice.microbatches);
    if (more == space_.microbatches.end()) return;
    auto next = std::make_shared<Choice>(choice);
    next->microbatches = *more;
    push({Excluded::What::microbatches, bound, 0, 0, {}, std::move(next), links});
  }

  /// Whether what it computes again is tried: of one that is known.
  bool is_recomputed(const Choice& choice) {
    return space_.recompute && choice.recompute == Recompute::none &&
           found_.known(choice).short_of_memory;
  }
  /// They have all the work of the layout, and more.
  void push_recomputed(const Choice& choice, double bound, const Links& links) {
    for (const Recompute what : {Recompute::selective, Recompute::full}) {
      auto other = std::make_shared<Choice>(choice);
      other->recompute = what;
      push({Excluded::What::layout, bound, 0, 0, {}, std::move(other), links});
    }
  }

  const Space& space_;
  const Model& model_;
  const Limits& limits_;
  TimeBudget time_{limits_.seconds};
  Plan plan_;
  const BlockScopes scopes_;
  const NamedWork work_;
  const Bounds bounds_, work_bounds_;
  const double least_memory_;  // no layout takes less
  Estimates estimates_;
  std::vector<Choice> bases_;
  std::priority_queue<Node, std::vector<Node>, Later> nodes_;
  std::size_t count_ = 0;
  Predictions found_;
  std::vector<double> open_;  // bounds of what is neither predicted nor excluded
};

}  // namespace

Plan search(const Space& space, const Models& models, const SourceMap& sources,
            const predict::Machine& machine, const Limits& limits) {
  return Search(space, models, sources, machine, limits).run();
}

}  // namespace mtfc::plan
