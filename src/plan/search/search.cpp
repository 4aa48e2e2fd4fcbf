#include "plan/search/search.h"

#include <algorithm>
#include <limits>
#include <map>
#include <queue>

#include "plan/price/bounds.h"
#include "plan/price/estimates.h"
#include "plan/search/climb.h"
#include "plan/search/families.h"
#include "plan/search/node.h"
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
        pricer_(models, sources, machine, space.given, space.submeshes),
        scopes_(space, model_),
        work_(space, models, sources, machine),
        bounds_(space, work_, machine),
        work_bounds_(space, work_, machine, Bounds::Of::work),
        least_memory_(bounds_.variable_bytes(processors_of(space))),
        estimates_(work_, machine) {}

  Plan run() {
    if (cannot_fit()) {
      if (limits_.any) return nothing_fits();
      time_.shorten(0.25);  // enough to say about what takes the least
    }
    add_rules();
    climb();
    compile_whole();
    try_best_pipelines();
    while (!nodes_.empty() && !(limits_.any && plan_.best)) {
      Node node = nodes_.top();
      nodes_.pop();
      look_at(node);
    }
    settle_doubts();
    if (cannot_fit() && !open_.empty()) return nothing_fits();
    add_other_cuts();
    double bound = plan_.best ? plan_.best->price.step : std::numeric_limits<double>::infinity();
    for (const double of_open : open_) bound = std::min(bound, of_open);
    plan_.open = open_.size();
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

  bool cannot_win(double bound) const { return plan_.best && bound >= plan_.best->price.step; }
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
      const Known& found = known(choice);
      return found.legal ? std::optional(Standing{found.step, found.memory, found.short_of_memory})
                         : std::nullopt;
    };
    const auto estimate = [&](const Choice& choice) { return estimates_.seconds(choice); };
    const auto named_bytes = [&](const Choice& choice) {
      return variable_bytes(work_, choice, choice.sharded_update);
    };
    Climber(space_, model_.dims, scopes_, limits_.memory, judge, estimate)
        .run(bases_, {named_bytes, limits_.memory});
    climbing_ = false;
  }

  /// Of the best pipelines of equal stages: with others, and computed again in part, which may be
  /// as fast and takes less memory. The bounds say little of which are good.
  void try_best_pipelines() {
    for (const Choice& one : fastest_pipelines(plan_, 3))
      for (const Choice& other : variants_of_pipeline(space_, one))
        if (!time_.is_up()) known(other);
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
    if (!cannot_win(node.bound) && time_.is_up()) {
      open_.push_back(node.bound);
      return;
    }
    const std::optional<Choice> choice = choice_of(node);
    if (!choice) return;
    if (choice->pipeline && node.what == Excluded::What::rules && !cannot_win(node.bound)) {
      push_microbatches(node, *choice);
      return;
    }
    if (node.what == Excluded::What::layout && is_known(*choice) && !is_recomputed(*choice)) return;
    if (cannot_win(node.bound))
      plan_.excluded.push_back({node.what, *choice, node.bound, 0, links_of(node)});
    else if (is_known(*choice))
      take(node, *choice);
    else if (const double bytes = least_bytes(*choice);
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

  /// Where a pipeline could be cut otherwise, and that might be faster than all that is known.
  void add_other_cuts() {
    for (const Judged& one : plan_.judged)
      if (one.choice.pipeline && one.fits && plan_.best && one.price.least < plan_.best->price.step)
        open_.push_back(one.price.least);
  }

  bool is_known(const Choice& choice) const { return known_.contains(text_of(choice)); }
  const Known& known(const Choice& choice) {
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

  /// What lives from step to step: of a variant that was predicted, or by its names. Where nothing
  /// is known that fits, each variant is predicted once, to say how much the smallest takes.
  double least_bytes(const Choice& choice) const {
    const auto found = choice.pipeline ? variables_.end() : variables_.find(key_of(choice));
    const double known = found == variables_.end() ? 0 : found->second;
    return plan_.best ? std::max(known, bounds_.variable_bytes(choice)) : known;
  }

  void take(const Node& node, const Choice& choice) {
    const Known& found = known(choice);
    if (!found.legal) return;
    const double floor = std::max(node.bound, found.floor);
    const Links links = links_of(node, found.floor);
    if (is_recomputed(choice)) push_recomputed(choice, floor, links);
    if (node.what == Excluded::What::layout) return;
    if (cannot_win(floor)) {
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
    if (choice.pipeline) return;
    const auto more = std::upper_bound(space_.microbatches.begin(), space_.microbatches.end(),
                                       choice.microbatches);
    if (more == space_.microbatches.end()) return;
    auto next = std::make_shared<Choice>(choice);
    next->microbatches = *more;
    push({Excluded::What::microbatches, floor, 0, 0, {}, std::move(next), links});
  }

  /// Whether what it computes again is tried: of one that is known.
  bool is_recomputed(const Choice& choice) const {
    return space_.recompute && choice.recompute == Recompute::none &&
           known_.at(text_of(choice)).short_of_memory;
  }
  /// They have all the work of the layout, and more.
  void push_recomputed(const Choice& choice, double bound, const Links& links) {
    for (const Recompute what : {Recompute::selective, Recompute::full}) {
      auto other = std::make_shared<Choice>(choice);
      other->recompute = what;
      push({Excluded::What::layout, bound, 0, 0, {}, std::move(other), links});
    }
  }

  /// From few iterations; what may be the best is compiled whole.
  std::optional<Price> predict(const Choice& choice) {
    const double since = time_.taken();
    std::optional<Price> price = pricer_.predicted(choice, limits_.memory);
    if (price && !price->is_whole) time_.note_few(since, pricer_.few_share(choice));
    if (!price || climbing_) return price;
    if (may_be_best(*price))
      make_whole(choice, *price);
    else
      doubt(choice, *price);
    return price;
  }

  bool may_be_best(const Price& price) const {
    if (price.is_whole || price.memory * (1 - memory_slack) > limits_.memory) return false;
    return !cannot_win((price.likely > 0 ? price.likely : price.step) * (1 - price.slack));
  }

  /// Few iterations say that it is fast and does not fit. They are seldom far off, but nothing says
  /// how far, unless what lives from step to step does not fit alone.
  void doubt(const Choice& choice, const Price& price) {
    if (price.is_whole || price.pipeline || price.variables > limits_.memory ||
        price.memory <= limits_.memory)
      return;
    const double least = (price.likely > 0 ? price.least : price.step) * (1 - price.slack);
    if (!cannot_win(least)) doubts_.emplace_back(least, choice);
  }

  /// When nothing else is left to look at.
  void settle_doubts() {
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

  void make_whole(const Choice& choice, Price& price) {
    Choice cut = choice;
    if (price.pipeline) cut.pipeline = price.pipeline;
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
    if (whole->recomputed == price.recomputed) note_deviation(plan_, price, *whole);
    price = std::move(*whole);
  }

  /// A climb goes by few iterations alone. Of what it has found the fastest are compiled whole,
  /// until no other may be faster; one in any case.
  void compile_whole() {
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
      const bool look =
          !time_.is_up() ||
          (one.price.memory <= limits_.memory &&
           (!plan_.best || (late < most_late && time_.taken() < later * limits_.seconds)));
      if (look && may_be_best(one.price)) {
        late += time_.is_up();
        make_whole(one.choice, one.price);
        known_[text_of(uncut(one.choice))].take(one.price, limits_.memory);
      } else {
        doubt(uncut(one.choice), one.price);
      }
      keep(one.choice, std::move(one.price));
    }
  }

  void keep(const Choice& choice, Price price) {
    plan::keep(plan_, choice, std::move(price), limits_.memory);
  }

  const Space& space_;
  const Model& model_;
  const Limits& limits_;
  TimeBudget time_{limits_.seconds};
  Pricer pricer_;
  const BlockScopes scopes_;
  const NamedWork work_;
  const Bounds bounds_, work_bounds_;
  const double least_memory_;  // no layout takes less
  Estimates estimates_;
  std::vector<Choice> bases_;
  std::priority_queue<Node, std::vector<Node>, Later> nodes_;
  std::size_t count_ = 0;
  bool climbing_ = true;
  std::map<std::string, Known> known_;
  std::map<std::string, double> variables_;  // by rules and ways to keep and update
  Plan plan_;
  std::vector<std::pair<double, Choice>> doubts_;
  std::vector<double> open_;  // bounds of what is neither predicted nor excluded
};

}  // namespace

Plan search(const Space& space, const Models& models, const SourceMap& sources,
            const predict::Machine& machine, const Limits& limits) {
  return Search(space, models, sources, machine, limits).run();
}

}  // namespace mtfc::plan
