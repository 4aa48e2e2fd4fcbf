#include "layout/scopes.h"

#include <algorithm>
#include <set>

#include "ir/glob.h"
#include "ir/scope_finder.h"
#include "layout/assign.h"
#include "layout/rules.h"
#include "layout/scope_mistakes.h"
#include "layout/unused.h"

namespace mtfc::lowering {
namespace {

/// A scope with what it means for the model.
struct Scope : ScopeUse {
  std::vector<Candidates> candidates;  // by DimId: which of its rules
};

class Keeper {
 public:
  Keeper(const Layout& layout, const Model& model, Assignment& assignment,
         std::vector<UnevenRule>& uneven, Diagnostics& diagnostics)
      : model_(model),
        assignment_(assignment),
        uneven_(uneven),
        mistakes_(layout, model, diagnostics),
        blocks_(assignment) {
    for (const LayoutScope& text : layout.scopes)
      if (text.kind == LayoutScope::Kind::param)
        scopes_.push_back({{&text}, find_candidates(text.rules, assignment.mesh, model.dims)});
  }

  void run() {
    for (Scope& scope : scopes_) {
      check_axes(scope);
      for (const Variable& v : model_.variables) scope.matches += is_meant(scope, v) ? 1 : 0;
    }
    for (const Variable& v : model_.variables)
      if (v.kind == Variable::Kind::parameter) keep(v);
    for (const Scope& scope : scopes_) mistakes_.unused(scope);
  }

 private:
  struct Choice {
    Scope* scope = nullptr;
    const LayoutRule* rule = nullptr;
  };

  static bool is_meant(const Scope& scope, const Variable& v) {
    return v.kind == Variable::Kind::parameter && glob_matches(scope.text->glob, v.path);
  }
  void check_axes(Scope& scope) {
    for (const LayoutRule& rule : scope.text->rules)
      if (auto exchanged = exchanged_sides(rule, assignment_.mesh, model_)) {
        mistakes_.report(std::move(*exchanged));
        scope.used.insert(&rule);
      } else
        for (Diagnostic& d : unknown_axes(assignment_.mesh, rule)) mistakes_.report(std::move(d));
  }

  /// The rule for one dimension of a parameter: that of the narrowest scope.
  Choice choose(const Variable& v, DimId dim) {
    Choice best;
    for (Scope& scope : scopes_) {
      const int chosen = scope.candidates[dim.at()].chosen;
      if (chosen < 0 || !is_meant(scope, v)) continue;
      const LayoutRule& rule = scope.text->rules[static_cast<std::size_t>(chosen)];
      scope.used.insert(&rule);
      for (const int other : scope.candidates[dim.at()].rules)
        if (const LayoutRule& also = scope.text->rules[static_cast<std::size_t>(other)];
            also.axes != rule.axes) {
          scope.used.insert(&also);
          if (contradict(also, rule, assignment_.mesh))
            disagree(v, dim, rule, also, "one scope has both: remove one of the two");
        }
      if (best.scope && best.scope->matches == scope.matches &&
          contradict(*best.rule, rule, assignment_.mesh))
        disagree(v, dim, *best.rule, rule,
                 "of two scopes the one that matches fewer parameters holds; these match equally "
                 "many");
      const bool yields = best.scope && scope.matches == best.scope->matches &&
                          splits_nothing(*best.rule, assignment_.mesh);
      if (!best.scope || scope.matches < best.scope->matches || yields) best = {&scope, &rule};
    }
    return best;
  }

  void disagree(const Variable& v, DimId dim, const LayoutRule& first, const LayoutRule& second,
                const std::string& help) {
    mistakes_.ruled_twice("`" + model_.dims[dim].name + "` of parameter `" + v.path + "` is kept",
                          first, second, help);
  }

  void keep(const Variable& v) {
    const DimList& dims = v.type.dims;
    const std::vector<int> blocks = blocks_.of(block_of(v.path), "");
    Sharding kept = sharding_of(dims, assignment_, blocks);
    const Sharding general = sharding_of(dims, assignment_);
    std::string cause = cause_of(blocks, dims, kept, general);
    std::vector<const LayoutRule*> rules(dims.size(), nullptr);
    for (std::size_t i = 0; i < dims.size(); ++i) {
      const Choice choice = choose(v, dims[i]);
      if (!choice.rule) continue;
      rules[i] = choice.rule;
      kept.split[i] = splitting_axes(*choice.rule, assignment_.mesh);
      if (kept.split[i] == general.split[i]) continue;
      cause += (cause.empty() ? "" : "; ") + text_of(*choice.scope->text, *choice.rule);
    }
    if (kept == general || !is_possible(v, kept, rules)) return;
    assignment_.kept[v.path] = {std::move(kept), std::move(cause)};
  }

  /// Which scopes of blocks keep the parameter otherwise than the general rules.
  std::string cause_of(const std::vector<int>& blocks, const DimList& dims, const Sharding& kept,
                       const Sharding& general) const {
    std::string cause;
    for (const int number : blocks)
      for (std::size_t i = 0; i < dims.size(); ++i) {
        const auto* split = assignment_.scopes[static_cast<std::size_t>(number)].find(dims[i]);
        if (split && kept.split[i] == split->axes && kept.split[i] != general.split[i])
          cause += (cause.empty() ? "" : "; ") + split->cause.str();
      }
    return cause;
  }

  bool is_possible(const Variable& v, const Sharding& kept,
                   const std::vector<const LayoutRule*>& rules) {
    bool fine = true;
    for (std::size_t i = 0; i < rules.size(); ++i) {
      std::optional<Diagnostic> mistake;
      if (rules[i])
        mistake = check_divides(
            model_, assignment_, {v.type.dims[i], rules[i]}, kept.split[i],
            [&] { return std::vector{v.path}; }, uneven_);
      if (mistake) mistakes_.report(std::move(*mistake)), fine = false;
      for (std::size_t j = 0; j < i; ++j)
        if (const auto axis = shared(kept.split[i], kept.split[j])) {
          fine = false;
          if (!rules[i] && !rules[j]) continue;  // the general rules clash: legality says so
          if (clashing_.insert({rules[i], rules[j]}).second)
            mistakes_.report(two_dimensions(v, i, j, *axis, rules));
        }
    }
    return fine;
  }

  static std::optional<AxisId> shared(const std::vector<AxisId>& a, const std::vector<AxisId>& b) {
    for (AxisId axis : a)
      if (std::find(b.begin(), b.end(), axis) != b.end()) return axis;
    return std::nullopt;
  }

  Diagnostic two_dimensions(const Variable& v, std::size_t i, std::size_t j, AxisId axis,
                            const std::vector<const LayoutRule*>& rules) const {
    const LayoutRule* rule = rules[i] ? rules[i] : rules[j];
    const auto name = [&](std::size_t k) { return "`" + model_.dims[v.type.dims[k]].name + "`"; };
    Diagnostic d =
        diag(DiagKind::axis_used_twice, "parameter `" + v.path + "` is kept with mesh axis `" +
                                            assignment_.mesh.name(axis) + "` for two dimensions")
            .at(rule->span, name(j) + " and " + name(i) + " both have it");
    if (v.declared.valid()) d.labels.push_back({v.declared, "the parameter", false});
    if (rules[i] && rules[j])
      return d.help("rule one of them only, or another dimension of `" + v.path + "`");
    // The other has the axis where it is used, as experts have: it is kept split by that already.
    const std::size_t dot = v.path.rfind('.');
    const std::string glob =
        dot == v.path.npos ? v.path : general_path(v.path.substr(0, dot)) + ".*";
    return d.help("keep it as it is used: `param \"" + glob + "\" { " +
                  model_.dims[v.type.dims[rules[i] ? i : j]].name + ":[] }`");
  }

  const Model& model_;
  Assignment& assignment_;
  std::vector<UnevenRule>& uneven_;
  ScopeMistakes mistakes_;
  std::vector<Scope> scopes_;
  std::set<std::pair<const LayoutRule*, const LayoutRule*>> clashing_;  // were reported
  ScopeFinder blocks_;  // of the scopes of blocks: parameters have no names as values here
};

}  // namespace

void keep_parameters(const Layout& layout, const Model& model, Assignment& assignment,
                     std::vector<UnevenRule>& uneven, Diagnostics& diagnostics) {
  if (!layout.scopes.empty()) Keeper(layout, model, assignment, uneven, diagnostics).run();
}

}  // namespace mtfc::lowering
