#include "layout/scopes.h"

#include <algorithm>
#include <map>
#include <set>

#include "layout/meant_path.h"
#include "layout/rules.h"
#include "layout/unused.h"
#include "support/glob.h"
#include "support/render.h"
#include "support/text.h"

namespace mtfc::lowering {
namespace {

using Kind = LayoutScope::Kind;

/// After so many, further mistakes of one layout help nobody.
constexpr std::size_t most_scope_mistakes = 50;

class ScopeResolver {
 public:
  ScopeResolver(const Layout& layout, const Model& model, Assignment& assignment,
                std::vector<UnevenRule>& uneven, Diagnostics& diagnostics)
      : model_(model),
        assignment_(assignment),
        uneven_(uneven),
        diagnostics_(diagnostics),
        limit_(diagnostics.all().size() + most_scope_mistakes),
        split_(split_names(layout, model)) {
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
    for (Entry& entry : entries_) {
      unused(entry);
      // What no value of the scope has, it does not rule in what is made for these either.
      std::erase_if(entry.scope.splits,
                    [&](const auto& split) { return !entry.met.contains(split.dim); });
      assignment_.scopes.push_back(std::move(entry.scope));
    }
  }

 private:
  struct Entry {
    const LayoutScope* text;
    ScopeGlob glob;
    Assignment::Scope scope;
    std::vector<const LayoutRule*> rules;  // by split of the scope
    std::size_t matches = 0;               // operations
    std::set<const LayoutRule*> used = {};
    std::set<DimId> met = {};  // dimensions of values that it matches
  };

  std::vector<const Graph*> graphs() const {
    return {&model_.train, &model_.eval, &model_.microbatch.graph};
  }

  void report(Diagnostic d) {
    if (diagnostics_.all().size() < limit_) diagnostics_.report(std::move(d));
  }

  void read(const LayoutScope& text) {
    Entry entry{&text, {text.kind, text.glob}, {text.kind, text.glob, {}, text.glob_span}, {}, 0};
    for (const LayoutRule& rule : text.rules) {
      if (auto exchanged = exchanged_sides(rule, assignment_.mesh, model_)) {
        report(std::move(*exchanged));
        entry.used.insert(&rule);
        continue;
      }
      for (std::size_t a = 0; a < rule.axes.size(); ++a)
        if (!assignment_.mesh.find(rule.axes[a])) report(unknown_axis(assignment_.mesh, rule, a));
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
            also.axes != rule.axes)
          disagree(dim, rule, also, "one scope has both: remove one of the two");
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
      if (mistake) report(std::move(*mistake));
      for (AxisId axis : split.axes) {
        const auto [owner, fresh] = owners.emplace(axis, split.dim);
        if (!fresh && clashes_.insert({owner->second, split.dim}).second)
          report(two_dimensions(entry, i, owner->second, axis, value));
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
    if (!disagreements_.insert({&first, &second}).second) return;
    report(diag(DiagKind::dimension_ruled_twice, "`" + model_.dims[dim].name +
                                                     "` is split over both `" + axes_text(first) +
                                                     "` and `" + axes_text(second) + "`")
               .at(second.span, "second rule")
               .also(first.span, "first rule")
               .help(help));
  }

  /// Scopes of one width may not disagree where they meet.
  void compare(const Graph& graph, const Operation& op) {
    const std::string_view name = result_name(graph, op);
    std::vector<std::pair<int, const Entry*>> matching;
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
  void compare(const Entry& a, const Entry& b, const DimList& dims) {
    for (std::size_t i = 0; i < a.rules.size(); ++i)
      for (std::size_t j = 0; j < b.rules.size(); ++j) {
        const Assignment::Scope::Split &x = a.scope.splits[i], &y = b.scope.splits[j];
        if (!contains(dims, x.dim) || !contains(dims, y.dim)) continue;
        const bool differ = x.dim == y.dim && x.axes != y.axes;
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
    report(diag(DiagKind::axis_used_twice, "two scopes split `" + model_.dims[x].name + "` and `" +
                                               model_.dims[y].name +
                                               "` of one tensor over the same mesh axis")
               .at(second.span, "second rule")
               .also(first.span, "first rule")
               .help("of two scopes the narrower one holds; neither of these is"));
  }

  /// Computed for the first scope that matches nothing.
  const std::set<std::string>& paths(Kind kind) {
    std::optional<std::set<std::string>>& found = paths_[kind];
    if (!found && kind == Kind::block) found = block_paths(model_.train);
    if (!found) {
      found.emplace();
      for (const Operation& op : model_.train.ops)
        if (const std::string_view name = result_name(model_.train, op); !name.empty())
          found->insert(general_path(name));
    }
    return *found;
  }

  std::string example(Kind kind) const {
    for (const Operation& op : model_.train.ops) {
      if (kind == Kind::block && !op.role.block.empty())
        return "; a block is `" + op.role.block.str() + "`";
      const std::string_view name = result_name(model_.train, op);
      if (kind == Kind::value && !name.empty() && !op.operands.empty())
        return "; a value is `" + std::string(name) + "`";
    }
    return "";
  }

  void unused(Entry& entry) {
    const bool blocks = entry.text->kind == Kind::block;
    if (entry.matches == 0 && entry.text->optional) return;
    if (entry.matches == 0) {
      const auto path = meant_path(entry.text->glob, paths(entry.text->kind),
                                   blocks ? Within::beginnings : Within::whole_paths);
      Diagnostic d = diag(DiagKind::unused_rule, "`" + head_of(*entry.text) + "` matches no " +
                                                     (blocks ? "block instance" : "named value") +
                                                     " of this model")
                         .at(entry.text->glob_span)
                         .help(path ? "did you mean `" + *path + "`?"
                                    : "`*` matches within a segment of a path, `**` across "
                                      "segments" +
                                          example(entry.text->kind));
      if (path)
        d.fix(entry.text->glob_span, "\"" + *path + "\"");
      else
        d.help(if_meant(*entry.text));
      return report(std::move(d));
    }
    for (const LayoutRule& rule : entry.text->rules)
      if (!entry.used.contains(&rule) && !rule.optional)
        unused(entry, rule);
      else if (auto idle = idle_entry(*entry.text, rule, split_))
        report(std::move(*idle));
  }

  void unused(Entry& entry, const LayoutRule& rule) {
    std::set<std::string> names;
    for (const Operation& op : model_.train.ops)
      if (entry.glob.depth(op.role.block, result_name(model_.train, op)) > 0)
        for (const ValueId id : op.results)
          for (const DimId dim : model_.train.at(id).type.dims) names.insert(model_.dims[dim].name);
    Diagnostic d =
        diag(DiagKind::unused_rule,
             "rule `" + text_of(rule) + "` matches no dimension in `" + head_of(*entry.text) + "`")
            .at(rule.pattern_span);
    propose_dimension(d, rule, names,
                      "if that is meant, write `" + rule.pattern + "?:" + axes_text(rule) + "`");
    report(std::move(d));
  }

  const Model& model_;
  Assignment& assignment_;
  std::vector<UnevenRule>& uneven_;
  Diagnostics& diagnostics_;
  std::size_t limit_;
  const std::set<std::string> split_;  // names of dimensions, by any rule or entry
  std::vector<Entry> entries_;
  std::map<Kind, std::optional<std::set<std::string>>> paths_;
  std::set<std::pair<DimId, DimId>> clashes_;
  std::set<std::pair<const LayoutRule*, const LayoutRule*>> disagreements_;
};

}  // namespace

void resolve_scopes(const Layout& layout, const Model& model, Assignment& assignment,
                    std::vector<UnevenRule>& uneven, Diagnostics& diagnostics) {
  ScopeResolver(layout, model, assignment, uneven, diagnostics).run();
}

}  // namespace mtfc::lowering
