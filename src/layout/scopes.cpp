#include "layout/scopes.h"

#include <algorithm>
#include <map>
#include <set>

#include "layout/rules.h"
#include "layout/scope_mistakes.h"
#include "layout/unused.h"
#include "support/text.h"

namespace mtfc::lowering {
namespace {

using Kind = LayoutScope::Kind;

class ScopeResolver {
 public:
  ScopeResolver(const Layout& layout, const Model& model, Assignment& assignment,
                std::vector<UnevenRule>& uneven, Diagnostics& diagnostics)
      : model_(model),
        assignment_(assignment),
        uneven_(uneven),
        mistakes_(layout, model, diagnostics) {
    for (const LayoutScope& text : layout.scopes)
      if (text.kind != Kind::param) read(text);
  }

  void run() {
    for (const Graph* graph : graphs())
      for (const Operation& op : graph->ops)
        for (Entry& entry : entries_) meet(entry, *graph, op);
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const Entry& a, const Entry& b) { return a.matches < b.matches; });
    for (const Graph* graph : graphs())
      for (const Operation& op : graph->ops) compare(*graph, op);
    for (const auto& [entry, dim] : yielding_)
      std::erase_if(entry->scope.splits, [&](const auto& split) { return split.dim == dim; });
    for (Entry& entry : entries_) {
      mistakes_.unused(entry);
      // What no value of the scope has, it does not rule in what is made for these either.
      std::erase_if(entry.scope.splits,
                    [&](const auto& split) { return !entry.met.contains(split.dim); });
      assignment_.scopes.push_back(std::move(entry.scope));
    }
  }

 private:
  struct Entry : ScopeUse {
    ScopeGlob glob;
    Assignment::Scope scope;
    std::vector<const LayoutRule*> rules = {};  // by split of the scope
    std::set<DimId> met = {};                   // dimensions of values that it matches
  };

  std::vector<const Graph*> graphs() const {
    return {&model_.train, &model_.eval, &model_.microbatch.graph};
  }

  void read(const LayoutScope& text) {
    Entry entry{{&text}, {text.kind, text.glob}, {text.kind, text.glob, {}, text.glob_span}};
    for (const LayoutRule& rule : text.rules) {
      if (auto exchanged = exchanged_sides(rule, assignment_.mesh, model_)) {
        mistakes_.report(std::move(*exchanged));
        entry.used.insert(&rule);
        continue;
      }
      for (Diagnostic& d : unknown_axes(assignment_.mesh, rule)) mistakes_.report(std::move(d));
    }
    const auto candidates = find_candidates(text.rules, assignment_.mesh, model_.dims);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (candidates[i].chosen < 0) continue;
      const DimId dim{static_cast<std::int32_t>(i)};
      const LayoutRule& rule = text.rules[static_cast<std::size_t>(candidates[i].chosen)];
      entry.scope.splits.push_back(
          {dim, splitting_axes(rule, assignment_.mesh), text_of(text, rule)});
      entry.rules.push_back(&rule);
      for (const int other : candidates[i].rules)
        if (const LayoutRule& also = text.rules[static_cast<std::size_t>(other)];
            also.axes != rule.axes) {
          entry.used.insert(&also);
          if (contradict(also, rule, assignment_.mesh))
            disagree(dim, rule, also, "one scope has both: remove one of the two");
        }
    }
    entries_.push_back(std::move(entry));
  }

  void meet(Entry& entry, const Graph& graph, const Operation& op) {
    const std::string_view name = result_name(graph, op);
    if (entry.glob.depth(op.role.block, name) == 0) return;
    ++entry.matches;
    for (ValueId id : op.results) check(entry, graph.at(id));
  }

  /// The rules that the value meets, one by one and against each other.
  void check(Entry& entry, const Value& value) {
    std::map<AxisId, DimId> owners;
    for (std::size_t i = 0; i < entry.rules.size(); ++i) {
      const Assignment::Scope::Split& split = entry.scope.splits[i];
      if (!contains(value.type.dims, split.dim)) continue;
      entry.used.insert(entry.rules[i]);
      const bool first = entry.met.insert(split.dim).second;
      std::optional<Diagnostic> mistake;
      if (first)
        mistake = check_divides(
            model_, assignment_, {split.dim, entry.rules[i]}, split.axes,
            [&] { return std::vector<std::string>(value.name.empty() ? 0 : 1, value.name.str()); },
            uneven_);
      if (mistake) mistakes_.report(std::move(*mistake));
      for (AxisId axis : split.axes) {
        const auto [owner, fresh] = owners.emplace(axis, split.dim);
        if (!fresh && clashes_.insert({owner->second, split.dim}).second)
          mistakes_.report(two_dimensions(entry, i, owner->second, axis, value));
      }
    }
  }

  Diagnostic two_dimensions(const Entry& entry, std::size_t rule, DimId other, AxisId axis,
                            const Value& value) const {
    const DimId dim = entry.scope.splits[rule].dim;
    return diag(DiagKind::axis_used_twice,
                "`" + head_of(*entry.text) + "` splits `" + model_.dims[other].name + "` and `" +
                    model_.dims[dim].name + "` of one tensor over mesh axis `" +
                    assignment_.mesh.name(axis) + "`")
        .at(entry.rules[rule]->span,
            "second dimension of " + (value.name.empty() ? "a tensor" : backquoted(value.name)))
        .help("split one of them only, or write a narrower scope for one");
  }

  void disagree(DimId dim, const LayoutRule& first, const LayoutRule& second,
                const std::string& help) {
    if (disagreements_.insert({&first, &second}).second)
      mistakes_.ruled_twice("`" + model_.dims[dim].name + "` is split", first, second, help);
  }

  /// Scopes of one width may not disagree where they meet.
  void compare(const Graph& graph, const Operation& op) {
    const std::string_view name = result_name(graph, op);
    std::vector<std::pair<int, Entry*>> matching;
    for (Entry& entry : entries_)
      if (const int depth = entry.glob.depth(op.role.block, name))
        matching.emplace_back(depth, &entry);
    for (std::size_t i = 0; i < matching.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (matching[i].first == matching[j].first &&
            matching[i].second->matches == matching[j].second->matches)
          for (ValueId id : op.results)
            compare(*matching[j].second, *matching[i].second, graph.at(id).type.dims);
  }
  void compare(Entry& a, Entry& b, const DimList& dims) {
    for (std::size_t i = 0; i < a.rules.size(); ++i)
      for (std::size_t j = 0; j < b.rules.size(); ++j) {
        const Assignment::Scope::Split &x = a.scope.splits[i], &y = b.scope.splits[j];
        if (!contains(dims, x.dim) || !contains(dims, y.dim)) continue;
        if (x.dim == y.dim && x.axes != y.axes)
          for (auto& [entry, rule] : {std::pair(&a, a.rules[i]), std::pair(&b, b.rules[j])})
            if (splits_nothing(*rule, assignment_.mesh)) yielding_.insert({entry, x.dim});
        const bool differ =
            x.dim == y.dim && contradict(*a.rules[i], *b.rules[j], assignment_.mesh);
        const bool clash =
            x.dim != y.dim && std::find_first_of(x.axes.begin(), x.axes.end(), y.axes.begin(),
                                                 y.axes.end()) != x.axes.end();
        if (differ)
          disagree(y.dim, *a.rules[i], *b.rules[j],
                   "of two scopes the narrower one holds; neither of these is");
        else if (clash)
          share_axis(x.dim, y.dim, *a.rules[i], *b.rules[j]);
      }
  }

  void share_axis(DimId x, DimId y, const LayoutRule& first, const LayoutRule& second) {
    if (!disagreements_.insert({&first, &second}).second) return;
    mistakes_.report(diag(DiagKind::axis_used_twice, "two scopes split `" + model_.dims[x].name +
                                                         "` and `" + model_.dims[y].name +
                                                         "` of one tensor over the same mesh axis")
                         .at(second.span, "second rule")
                         .also(first.span, "first rule")
                         .help("of two scopes the narrower one holds; neither of these is"));
  }

  const Model& model_;
  Assignment& assignment_;
  std::vector<UnevenRule>& uneven_;
  ScopeMistakes mistakes_;
  std::vector<Entry> entries_;
  std::set<std::pair<Entry*, DimId>> yielding_;  // what says nothing, to another of equal width
  std::set<std::pair<DimId, DimId>> clashes_;
  std::set<std::pair<const LayoutRule*, const LayoutRule*>> disagreements_;
};

}  // namespace

void resolve_scopes(const Layout& layout, const Model& model, Assignment& assignment,
                    std::vector<UnevenRule>& uneven, Diagnostics& diagnostics) {
  ScopeResolver(layout, model, assignment, uneven, diagnostics).run();
}

}  // namespace mtfc::lowering
