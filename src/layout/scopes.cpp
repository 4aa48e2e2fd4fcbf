#include "layout/scopes.h"

#include <algorithm>
#include <map>
#include <set>

#include "layout/divisibility.h"
#include "layout/rules.h"
#include "support/glob.h"
#include "support/text.h"

namespace mtfc::lowering {
namespace {

using Kind = LayoutScope::Kind;

/// After so many, further mistakes of one layout help nobody.
constexpr std::size_t most_scope_mistakes = 50;

bool in_block(std::string_view glob, std::string_view block) {
  while (!block.empty()) {
    if (glob_matches(glob, block)) return true;
    block = block_of(block);
  }
  return false;
}

std::string_view name_of(const Graph& graph, const Operation& op) {
  for (ValueId id : op.results)
    if (!graph.at(id).name.empty()) return graph.at(id).name;
  return {};
}

std::string scope_text(const LayoutScope& scope) {
  return (scope.kind == Kind::block ? "in \"" : "value \"") + scope.glob + "\"";
}

class ScopeResolver {
 public:
  ScopeResolver(const Layout& layout, const Model& model, Assignment& assignment,
                Diagnostics& diagnostics)
      : model_(model),
        assignment_(assignment),
        diagnostics_(diagnostics),
        limit_(diagnostics.all().size() + most_scope_mistakes) {
    for (const LayoutScope& text : layout.scopes)
      if (text.kind != Kind::param) read(text);
  }

  void run() {
    for (const Graph* graph : {&model_.train, &model_.eval})
      for (const Operation& op : graph->ops)
        for (Entry& entry : entries_) meet(entry, *graph, op);
    std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
      if (a.text->kind != b.text->kind) return a.text->kind == Kind::value;
      return a.matches < b.matches;
    });
    for (const Graph* graph : {&model_.train, &model_.eval})
      for (const Operation& op : graph->ops) compare(*graph, op);
    for (Entry& entry : entries_) {
      unused(entry);
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
    std::set<const LayoutRule*> used;
  };

  void report(Diagnostic d) {
    if (diagnostics_.all().size() < limit_) diagnostics_.report(std::move(d));
  }

  void read(const LayoutScope& text) {
    Entry entry{&text, {text.kind, text.glob}, {text.kind, text.glob, {}}, {}, 0, {}};
    for (const LayoutRule& rule : text.rules)
      for (std::size_t a = 0; a < rule.axes.size(); ++a)
        if (!assignment_.mesh.find(rule.axes[a])) report(unknown_axis(assignment_.mesh, rule, a));
    const auto candidates = find_candidates(text.rules, assignment_.mesh, model_.dims);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (candidates[i].chosen < 0) continue;
      const DimId dim{static_cast<std::int32_t>(i)};
      const LayoutRule& rule = text.rules[static_cast<std::size_t>(candidates[i].chosen)];
      entry.scope.splits.push_back(
          {dim, splitting_axes(rule, assignment_.mesh), scope_text(text) + " " + text_of(rule)});
      entry.rules.push_back(&rule);
      for (const int other : candidates[i].rules)
        if (const LayoutRule& also = text.rules[static_cast<std::size_t>(other)];
            also.axes != rule.axes)
          disagree(dim, rule, also, "one scope has both: remove one of the two");
    }
    entries_.push_back(std::move(entry));
  }

  void meet(Entry& entry, const Graph& graph, const Operation& op) {
    const std::string_view name = name_of(graph, op);
    if (!entry.glob.matches(op.role.block, name)) return;
    ++entry.matches;
    for (ValueId id : op.results) check(entry, graph.at(id));
  }

  /// The rules that the value meets, one by one and against each other.
  void check(Entry& entry, const Value& value) {
    std::map<AxisId, DimId> owners;
    for (std::size_t i = 0; i < entry.rules.size(); ++i) {
      const Assignment::Scope::Split& split = entry.scope.splits[i];
      if (!contains(value.type.dims, split.dim)) continue;
      const bool first = entry.used.insert(entry.rules[i]).second;
      const Dim& dim = model_.dims[split.dim];
      if (first && dim.size % assignment_.mesh.size(split.axes) != 0)
        report(not_divisible(dim, *entry.rules[i], assignment_.mesh, split.axes, {value.name}));
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
                "`" + scope_text(*entry.text) + "` splits `" + model_.dims[other].name + "` and `" +
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
    const std::string_view name = name_of(graph, op);
    const Entry* before = nullptr;
    for (Entry& entry : entries_) {
      if (!entry.glob.matches(op.role.block, name)) continue;
      if (before && before->text->kind == entry.text->kind && before->matches == entry.matches)
        compare(*before, entry, graph, op);
      before = &entry;
    }
  }
  void compare(const Entry& a, const Entry& b, const Graph& graph, const Operation& op) {
    for (std::size_t i = 0; i < a.rules.size(); ++i)
      for (std::size_t j = 0; j < b.rules.size(); ++j) {
        const DimId dim = a.scope.splits[i].dim;
        if (dim != b.scope.splits[j].dim || a.rules[i]->axes == b.rules[j]->axes) continue;
        for (ValueId id : op.results)
          if (contains(graph.at(id).type.dims, dim))
            disagree(dim, *a.rules[i], *b.rules[j],
                     "of two scopes the one that matches less holds; these match equally much");
      }
  }

  std::string example(Kind kind) const {
    for (const Operation& op : model_.train.ops) {
      if (kind == Kind::block && !op.role.block.empty())
        return "; a block is `" + op.role.block + "`";
      const std::string_view name = name_of(model_.train, op);
      if (kind == Kind::value && !name.empty() && !op.operands.empty())
        return "; a value is `" + std::string(name) + "`";
    }
    return "";
  }

  void unused(const Entry& entry) {
    const bool blocks = entry.text->kind == Kind::block;
    if (entry.matches == 0)
      return report(diag(DiagKind::unused_rule, "`" + scope_text(*entry.text) + "` matches no " +
                                                    (blocks ? "block instance" : "named value") +
                                                    " of this model")
                        .at(entry.text->glob_span)
                        .help("`*` matches within a segment of a path, `**` across segments" +
                              example(entry.text->kind)));
    for (const LayoutRule& rule : entry.text->rules)
      if (!entry.used.contains(&rule) && !rule.optional)
        report(
            diag(DiagKind::unused_rule, "rule `" + text_of(rule) + "` matches no dimension in `" +
                                            scope_text(*entry.text) + "`")
                .at(rule.pattern_span)
                .help("if that is meant, write `" + rule.pattern + "?:" + axes_text(rule) + "`"));
  }

  const Model& model_;
  Assignment& assignment_;
  Diagnostics& diagnostics_;
  std::size_t limit_;
  std::vector<Entry> entries_;
  std::set<std::pair<DimId, DimId>> clashes_;
  std::set<std::pair<const LayoutRule*, const LayoutRule*>> disagreements_;
};

}  // namespace

void resolve_scopes(const Layout& layout, const Model& model, Assignment& assignment,
                    Diagnostics& diagnostics) {
  ScopeResolver(layout, model, assignment, diagnostics).run();
}

bool ScopeGlob::matches(std::string_view block, std::string_view name) {
  if (kind_ == Kind::value) return !name.empty() && glob_matches(glob_, name);
  const auto [found, fresh] = blocks_.try_emplace(std::string(block), false);
  if (fresh) found->second = in_block(glob_, block);
  return found->second;
}

ScopeFinder::ScopeFinder(const Assignment& assignment) {
  for (const Assignment::Scope& scope : assignment.scopes)
    globs_.emplace_back(scope.kind, scope.glob);
}

std::vector<int> ScopeFinder::of(std::string_view block, std::string_view name) {
  std::vector<int> found;
  for (std::size_t i = 0; i < globs_.size(); ++i)
    if (globs_[i].matches(block, name)) found.push_back(static_cast<int>(i));
  return found;
}

std::vector<int> ScopeFinder::of(const Graph& graph, const Operation& op) {
  return globs_.empty() ? std::vector<int>{} : of(op.role.block, name_of(graph, op));
}

std::string_view block_of(std::string_view parameter) {
  const std::size_t dot = parameter.rfind('.');
  return dot == parameter.npos ? std::string_view{} : parameter.substr(0, dot);
}

}  // namespace mtfc::lowering
