#include "layout/assignment.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "ir/stage_meshes.h"
#include "layout/axis_sizes.h"
#include "layout/first_mistakes.h"
#include "layout/named_tensors.h"
#include "layout/other_meaning.h"
#include "layout/resolve_pipeline.h"
#include "layout/rules.h"
#include "layout/scopes.h"
#include "layout/settings.h"
#include "layout/unused.h"
#include "messages/propose.h"
#include "support/text.h"

namespace mtfc::lowering {
namespace {

std::string describe(const Mesh& mesh) {
  if (mesh.axes.empty()) return "has no axes";
  return "is " + to_string(mesh);
}

bool are_disjoint(const std::vector<AxisId>& a, const std::vector<AxisId>& b) {
  return std::none_of(a.begin(), a.end(),
                      [&](AxisId axis) { return std::find(b.begin(), b.end(), axis) != b.end(); });
}

Diagnostic unknown_axis(const Mesh& mesh, const LayoutRule& rule, std::size_t number) {
  const std::string& name = rule.axes[number];
  Diagnostic d = diag(DiagKind::unknown_mesh_axis, "no mesh axis named `" + name + "`")
                     .at(rule.axis_spans[number], "mesh " + describe(mesh));
  propose(d, rule.axis_spans[number], name, names_of(mesh.axes));
  return d;
}

}  // namespace

std::vector<Diagnostic> unknown_axes(const Mesh& mesh, const LayoutRule& rule) {
  std::vector<Diagnostic> found;
  for (std::size_t a = 0; a < rule.axes.size(); ++a)
    if (!mesh.find(rule.axes[a])) found.push_back(unknown_axis(mesh, rule, a));
  return found;
}

namespace {

class Resolver {
 public:
  /// `meshes`: of the layout, or of the stages that have their own.
  Resolver(const Layout& layout, const Assignment& meshes, const Model& model,
           Diagnostics& diagnostics)
      : layout_(layout),
        meshes_(meshes),
        mesh_(meshes.mesh),
        model_(model),
        mistakes_(diagnostics),
        candidates_(find_candidates(layout.rules, mesh_, model.dims)),
        used_(used_dims(model)) {
    for (std::size_t i = 0; i < used_.size(); ++i) {
      const auto at = names_.emplace(model.dims.all()[i].name, false).first;
      at->second = at->second || used_[i];
    }
  }

  std::vector<UnevenRule> uneven;  // once it has run

  /// Sizes that may not be padded, where scopes do not take the rule back everywhere.
  void report_sizes(const Assignment& assignment) {
    std::vector<UnevenRule> known;
    for (const auto& [dim, wanted] : sizes_) {
      if (assignment.axes(dim).empty()) continue;
      const auto tensors = [&, dim = dim] { return tensors_split_along(model_, assignment, dim); };
      if (auto mistake = check_divides(model_, meshes_, {dim, wanted},
                                       splitting_axes(*wanted, mesh_), tensors, known))
        report(std::move(*mistake));
    }
  }

  Assignment run() {
    repeated_rules();
    conflicting_patterns();
    for (std::size_t i = 0; i < layout_.rules.size(); ++i) single_rule(i);
    sizes();
    Assignment assignment = assign_axes(layout_.rules, mesh_, candidates_);
    assignment.stage_meshes = meshes_.stage_meshes;
    // What no tensor has, not even one that passes make is split by.
    for (std::size_t i = 0; i < used_.size(); ++i)
      if (!used_[i]) assignment.dims[i].axes.clear();
    return assignment;
  }

 private:
  const LayoutRule& rule(int i) const { return layout_.rules[static_cast<std::size_t>(i)]; }

  void report(Diagnostic d) { mistakes_.report(std::move(d)); }

  /// Two rules with one left side: the same twice, or a dimension on two axes.
  void repeated_rules() {
    std::unordered_map<std::string_view, int> first;
    for (int i = 0; i < static_cast<int>(layout_.rules.size()); ++i) {
      const auto [earlier, fresh] = first.emplace(rule(i).pattern, i);
      if (fresh) continue;
      const LayoutRule &a = rule(earlier->second), &b = rule(i);
      if (a.axes == b.axes) {
        report(diag(DiagKind::repeated_rule, "rule `" + text_of(b) + "` is listed twice")
                   .at(b.span, "second")
                   .also(a.span, "first"));
      } else {
        two_axes(a, b, b.pattern);
      }
    }
  }

  /// An axis of size 1 splits nothing, so it contradicts nothing.
  void two_axes(const LayoutRule& a, const LayoutRule& b, const std::string& dim) {
    const auto axes_a = splitting_axes(a, mesh_), axes_b = splitting_axes(b, mesh_);
    if (axes_a.empty() || axes_b.empty() || axes_a == axes_b) return;
    Diagnostic d =
        diag(DiagKind::dimension_ruled_twice,
             "`" + dim + "` is ruled to both `" + axes_text(a) + "` and `" + axes_text(b) + "`")
            .at(b.span, "second rule")
            .also(a.span, "first rule");
    if (a.pattern != b.pattern)
      d.helps.push_back("a rule with the dimension's own name beats patterns: `" + dim + ":" +
                        axes_text(a) + "`");
    d.helps.push_back("remove one of the two" + (are_disjoint(axes_a, axes_b)
                                                     ? ", or split over both: `" + dim + ":" +
                                                           axes_text(a) + "+" + axes_text(b) + "`"
                                                     : ""));
    report(std::move(d));
  }

  /// Patterns that send one dimension to different axes; each pair of rules once.
  void conflicting_patterns() {
    std::set<std::pair<int, int>> seen;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const int chosen = candidates_[i].chosen;
      for (int j : candidates_[i].rules)
        if (rule(j).pattern != rule(chosen).pattern && seen.emplace(chosen, j).second)
          two_axes(rule(chosen), rule(j), model_.dims.all()[i].name);
    }
  }

  struct Match {
    bool any = false;   // the model has such a dimension
    bool used = false;  // and a tensor has it
  };

  /// A rule that only loses to exact ones still matches.
  Match match(const LayoutRule& wanted) const {
    if (wanted.pattern.find('*') == std::string::npos) {
      const auto exact = names_.find(wanted.pattern);
      return exact == names_.end() ? Match{} : Match{true, exact->second};
    }
    Match found;
    for (const auto& [name, used] : names_)
      if (matches(wanted.pattern, name)) found = {true, found.used || used};
    return found;
  }

  void single_rule(std::size_t i) {
    const LayoutRule& wanted = layout_.rules[i];
    const Match found = match(wanted);
    if (auto exchanged = exchanged_sides(wanted, mesh_, model_)) {
      report(std::move(*exchanged));
      return;
    }
    if (found.any) {
      for (Diagnostic& d : unknown_axes(mesh_, wanted)) report(std::move(d));
    }
    if (!found.used && !wanted.optional && !(found.any && unknown_axis_of(wanted) != nullptr))
      report(unused_rule(wanted, found));
  }

  /// The first axis of the rule that the mesh lacks; null if it has all.
  const std::string* unknown_axis_of(const LayoutRule& wanted) const {
    for (const std::string& name : wanted.axes)
      if (!mesh_.find(name)) return &name;
    return nullptr;
  }

  Diagnostic unused_rule(const LayoutRule& wanted, Match found) const {
    const std::string text = text_of(wanted);
    Diagnostic d = diag(DiagKind::unused_rule,
                        found.any ? "rule `" + text + "` splits nothing"
                                  : "rule `" + text + "` matches no dimension of this model")
                       .at(wanted.pattern_span, found.any ? "no tensor has this dimension" : "");
    if (const std::string* axis = unknown_axis_of(wanted))
      d.notes.push_back("the mesh has no axis `" + *axis + "` either");
    if (const std::string other = other_meaning(wanted.pattern, model_); !other.empty())
      return std::move(d).help(other);
    const std::string shared = "for a layout shared by several models write `" + wanted.pattern +
                               "?:" + axes_text(wanted) + "`";
    propose_dimension(d, wanted, found.any ? std::set<std::string>() : used_names(), shared);
    return d;
  }

  std::set<std::string> used_names() const {
    std::set<std::string> names;
    for (const auto& [name, used] : names_)
      if (used) names.insert(std::string(name));
    return names;
  }

  /// Every dimension at its own size: local ones of one name may differ.
  void sizes() {
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (candidates_[i].chosen < 0 || !used_[i]) continue;
      const LayoutRule& wanted = rule(candidates_[i].chosen);
      const std::vector<AxisId> axes = splitting_axes(wanted, mesh_);
      const DimId id{static_cast<std::int32_t>(i)};
      if (check_divides(
              model_, meshes_, {id, &wanted}, axes, [] { return std::vector<std::string>(); },
              uneven))
        sizes_.emplace_back(id, &wanted);
    }
  }

  const Layout& layout_;
  const Assignment& meshes_;
  const Mesh& mesh_;
  const Model& model_;
  FirstMistakes mistakes_;
  std::vector<Candidates> candidates_;
  std::vector<std::pair<DimId, const LayoutRule*>> sizes_;  // that are not divided and must be
  std::vector<bool> used_;                                  // by DimId
  std::map<std::string, bool> names_;  // each name once, and whether any so named is used
};

/// Rules that split something, scopes' own too.
std::vector<LayoutRule> splitting_rules(const Layout& layout) {
  std::vector<LayoutRule> rules = layout.rules;
  for (const LayoutScope& scope : layout.scopes)
    rules.insert(rules.end(), scope.rules.begin(), scope.rules.end());
  std::erase_if(rules, [](const LayoutRule& rule) { return rule.axes.empty(); });
  return rules;
}

Diagnostic no_mesh(const std::vector<LayoutRule>& rules) {
  std::string example = "mesh ";
  std::vector<std::string> axes;
  for (const LayoutRule& rule : rules)
    for (const std::string& axis : rule.axes) {
      if (axes.size() == 3 || std::find(axes.begin(), axes.end(), axis) != axes.end()) continue;
      example += (axes.empty() ? "" : ", ") + axis + "=2";
      axes.push_back(axis);
    }
  return diag(DiagKind::mesh_mismatch, "the layout has rules but there is no mesh")
      .at(rules.front().span, "splits over an axis of no mesh")
      .help("add a line such as `" + example + "` to the layout, or give --mesh");
}

}  // namespace

Resolution resolve_all(const Layout& layout, const std::optional<Mesh>& mesh_override,
                       const Model& model, Diagnostics& diagnostics) {
  const std::size_t errors_before = diagnostics.errors();
  if (mesh_override && layout.mesh && *mesh_override != *layout.mesh)
    diagnostics.report(
        diag(DiagKind::mesh_replaced,
             "--mesh replaces the mesh of the layout: the mesh " + describe(*mesh_override))
            .at(layout.mesh_span, "not used"));
  const std::vector<LayoutRule> splitting = splitting_rules(layout);
  if (!mesh_override && !layout.mesh && !splitting.empty()) {
    diagnostics.report(no_mesh(splitting));
    return {};
  }
  Assignment meshes;
  meshes.mesh = mesh_override ? *mesh_override : layout.mesh.value_or(Mesh{});
  if (layout.pipeline)
    meshes.stage_meshes = read_stage_meshes(*layout.pipeline, meshes.mesh, diagnostics);
  if (!meshes.stage_meshes.empty()) meshes.mesh = widest(meshes.stage_meshes);
  Resolver resolver(layout, meshes, model, diagnostics);
  Assignment assignment = resolver.run();
  resolve_scopes(layout, model, assignment, resolver.uneven, diagnostics);
  keep_parameters(layout, model, assignment, resolver.uneven, diagnostics);
  drop_taken_back(model, assignment);
  resolver.report_sizes(assignment);
  if (diagnostics.errors() == errors_before)
    warn_without_effect(model, layout, assignment, diagnostics);
  note_padding(model, assignment, resolver.uneven, diagnostics);
  read_settings(layout, assignment, diagnostics);
  check_settings(layout, model, assignment, diagnostics);
  resolve_pipeline(layout, model, assignment, diagnostics);
  return {std::move(assignment), diagnostics.errors() == errors_before};
}

std::optional<Assignment> resolve(const Layout& layout, const std::optional<Mesh>& mesh_override,
                                  const Model& model, Diagnostics& diagnostics) {
  Resolution all = resolve_all(layout, mesh_override, model, diagnostics);
  return all.ok ? std::move(all.assignment) : std::nullopt;
}

}  // namespace mtfc::lowering
