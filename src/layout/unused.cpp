#include "layout/unused.h"

#include <algorithm>
#include <set>

#include "ir/scope_finder.h"
#include "layout/assign.h"
#include "layout/named_tensors.h"
#include "layout/rules.h"

namespace mtfc::lowering {
namespace {

/// By axis: whether a dimension that tensors have is split over it.
std::vector<bool> splitting_axes(const Model& model, const Assignment& assignment) {
  std::vector<bool> splitting(assignment.mesh.axes.size());
  const std::vector<bool> used = used_dims(model);
  for (std::size_t i = 0; i < used.size(); ++i)
    if (used[i])
      for (AxisId axis : assignment.axes(DimId{static_cast<std::int32_t>(i)}))
        splitting[axis.at()] = true;
  for (const Assignment::Scope& scope : assignment.scopes)
    for (const Assignment::Scope::Split& split : scope.splits)
      for (AxisId axis : split.axes) splitting[axis.at()] = true;
  for (const auto& [path, kept] : assignment.kept)
    for (const std::vector<AxisId>& axes : kept.sharding.split)
      for (AxisId axis : axes) splitting[axis.at()] = true;
  return splitting;
}

/// By DimId: whether general rules hold for any value, input or parameter with it.
class GeneralRules {
 public:
  GeneralRules(const Model& model, const Assignment& assignment)
      : assignment_(assignment), hold_(assignment.dims.size()) {
    for (const Input& input : model.inputs) add(input.type.dims, {});
    for (const Variable& v : model.variables) add(v);
    ScopeFinder finder(assignment);
    for (const Graph* graph : {&model.train, &model.eval, &model.microbatch.graph})
      for (const Operation& op : graph->ops)
        for (const ValueId id : op.results) add(graph->at(id).type.dims, finder.of(*graph, op));
  }
  bool hold_for(std::size_t dim) const { return hold_[dim]; }

 private:
  void add(const DimList& dims, const std::vector<int>& scopes) {
    for (const DimId dim : dims)
      if (dim.at() < hold_.size() && !assignment_.find(scopes, dim)) hold_[dim.at()] = true;
  }
  /// Of one that is kept otherwise than they say it is not known which scope rules what.
  void add(const Variable& v) {
    const auto kept = assignment_.kept.find(v.path);
    if (kept == assignment_.kept.end()) return add(v.type.dims, {});
    for (std::size_t i = 0; i < v.type.dims.size(); ++i)
      if (!kept->second.sharding.split[i].empty()) add({v.type.dims[i]}, {});
  }

  const Assignment& assignment_;
  std::vector<bool> hold_;
};

/// Of the rule that holds for a dimension: whether it has `!`.
bool must_divide(const Layout& layout, const Assignment::Entry& entry) {
  return entry.rule >= 0 && layout.rules[static_cast<std::size_t>(entry.rule)].must_divide;
}

bool is_named(const Layout& layout, const std::string& axis) {
  return std::any_of(layout.rules.begin(), layout.rules.end(), [&](const LayoutRule& rule) {
    return std::find(rule.axes.begin(), rule.axes.end(), axis) != rule.axes.end();
  });
}

/// Where the layout declares its mesh or one axis; nowhere if --mesh does.
Span mesh_span(const Layout& layout, const Mesh& mesh, std::size_t axis) {
  if (!layout.mesh || *layout.mesh != mesh) return {};
  return axis < layout.mesh_axis_spans.size() ? layout.mesh_axis_spans[axis] : layout.mesh_span;
}

Diagnostic idle(const std::string& message, Span span, const std::string& label) {
  Diagnostic d = diag(DiagKind::idle_mesh_axis, message);
  if (span.valid()) d.labels.push_back({span, label, true});
  return d;
}

}  // namespace

void warn_idle_axes(const Model& model, const Layout& layout, const Assignment& assignment,
                    Diagnostics& diagnostics) {
  const Mesh& mesh = assignment.mesh;
  if (mesh.processors() == 1 || layout.replicates) return;
  const std::vector<bool> splitting = splitting_axes(model, assignment);
  const std::size_t all = mesh.axes.size();
  if (std::none_of(splitting.begin(), splitting.end(), [](bool any) { return any; })) {
    diagnostics.report(
        idle("the layout splits nothing: all " + std::to_string(mesh.processors()) +
                 " processors do the same work",
             mesh_span(layout, mesh, all), "this mesh")
            .help("write a rule `dimension:axis`; `[]` says that nothing is meant to "
                  "be split"));
    return;
  }
  for (std::size_t i = 0; i < all; ++i) {
    const MeshAxis& axis = mesh.axes[i];
    if (axis.size == 1 || splitting[i] || is_named(layout, axis.name)) continue;
    diagnostics.report(idle("no rule uses mesh axis `" + axis.name +
                                "`: " + std::to_string(axis.size) + " processors do the same work",
                            mesh_span(layout, mesh, i), "splits nothing")
                           .help("split a dimension over it, `dimension:" + axis.name +
                                 "`, or leave the axis out"));
  }
}

void drop_taken_back(const Model& model, Assignment& assignment) {
  if (assignment.scopes.empty()) return;
  const GeneralRules rules(model, assignment);
  for (std::size_t i = 0; i < assignment.dims.size(); ++i) {
    if (assignment.dims[i].axes.empty() || rules.hold_for(i)) continue;
    assignment.dims[i].axes.clear();
    const DimId dim{static_cast<std::int32_t>(i)};
    const auto splits = [&](const Assignment::Scope& scope) {
      return scope.find(dim) && !scope.find(dim)->axes.empty();
    };
    if (std::any_of(assignment.scopes.begin(), assignment.scopes.end(), splits)) continue;
    for (Assignment::Scope& scope : assignment.scopes)  // there is nothing left to take back
      std::erase_if(scope.splits, [&](const auto& split) { return split.dim == dim; });
  }
  std::erase_if(assignment.scopes, [](const auto& scope) { return scope.splits.empty(); });
  for (const Variable& v : model.variables)
    if (const auto kept = assignment.kept.find(v.path);
        kept != assignment.kept.end() &&
        kept->second.sharding == sharding_of(v.type.dims, assignment))
      assignment.kept.erase(kept);
}

void warn_without_effect(const Model& model, const Layout& layout, const Assignment& assignment,
                         Diagnostics& diagnostics) {
  const std::vector<bool> used = used_dims(model), splitting = splitting_axes(model, assignment);
  std::set<std::string> patterns;  // a rule that is there twice is said to be
  for (std::size_t number = 0; number < layout.rules.size(); ++number) {
    const LayoutRule& rule = layout.rules[number];
    const std::vector<AxisId> axes = splitting_axes(rule, assignment.mesh);
    if (!patterns.insert(rule.pattern).second || rule.optional || axes.empty()) continue;
    const Assignment::Entry* other = nullptr;  // one that holds in its place
    bool matched = false, acts = false;
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (!used[i] || !matches(rule.pattern, model.dims.all()[i].name)) continue;
      const Assignment::Entry& entry = assignment.dims[i];
      const bool holds = entry.rule == static_cast<int>(number);
      matched = true;
      const bool lost = rule.must_divide && !must_divide(layout, entry);
      acts = acts || (!entry.axes.empty() && (holds || (entry.axes == axes && !lost)));
      if (!holds && !other) other = &entry;
    }
    if (!matched || acts) continue;
    Diagnostic d =
        diag(DiagKind::unused_rule, "rule `" + text_of(rule) + "` splits nothing")
            .at(rule.pattern_span, other ? "`" + other->cause.str() + "` holds for what it matches"
                                         : "scopes take it back wherever it would");
    for (const AxisId axis : axes)
      if (!splitting[axis.at()])
        d.notes.push_back("nothing else is split over `" + assignment.mesh.name(axis) +
                          "`: " + std::to_string(assignment.mesh.size(axis)) +
                          " processors do the same work");
    diagnostics.report(std::move(d));
  }
}

std::set<std::string> split_names(const Layout& layout, const Model& model) {
  std::set<std::string> all, names;
  for (const Dim& dim : model.dims.all()) all.insert(dim.name);
  const auto add = [&](const LayoutRule& rule) {
    if (rule.axes.empty()) return;
    if (rule.pattern.find('*') == std::string::npos) {
      if (all.contains(rule.pattern)) names.insert(rule.pattern);
      return;
    }
    for (const std::string& name : all)
      if (matches(rule.pattern, name)) names.insert(name);
  };
  for (const LayoutRule& rule : layout.rules) add(rule);
  for (const LayoutScope& scope : layout.scopes)
    for (const LayoutRule& rule : scope.rules) add(rule);
  return names;
}

std::optional<Diagnostic> idle_entry(const LayoutScope& scope, const LayoutRule& rule,
                                     const std::set<std::string>& split) {
  if (!rule.axes.empty() || rule.optional ||
      std::any_of(split.begin(), split.end(),
                  [&](const std::string& name) { return matches(rule.pattern, name); }))
    return std::nullopt;
  return diag(DiagKind::unused_rule,
              "entry `" + text_of(rule) + "` of `" + head_of(scope) + "` changes nothing")
      .at(rule.pattern_span, "no rule splits it")
      .help("take it out, or write `" + rule.pattern +
            "?:[]` for a layout that others add rules to");
}

std::optional<Diagnostic> exchanged_sides(const LayoutRule& rule, const Mesh& mesh,
                                          const Model& model) {
  if (rule.axes.size() != 1) return std::nullopt;
  const std::string& axis = rule.pattern;
  const std::string& dim = rule.axes.front();
  if (!mesh.find(axis) || mesh.find(dim)) return std::nullopt;
  const auto named = [&](const std::string& name) {
    return std::any_of(model.dims.all().begin(), model.dims.all().end(),
                       [&](const Dim& d) { return d.name == name; });
  };
  if (named(axis) || !named(dim)) return std::nullopt;
  const std::string meant = dim + ":" + axis;
  return diag(DiagKind::unknown_mesh_axis,
              "`" + dim + "` is a dimension and `" + axis + "` a mesh axis: write `" + meant + "`")
      .at(rule.span, "the dimension comes first")
      .fix(rule.span, meant);
}

}  // namespace mtfc::lowering
