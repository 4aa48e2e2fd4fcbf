#include "layout/scope_mistakes.h"

#include "ir/glob.h"
#include "ir/scope_finder.h"
#include "layout/meant_path.h"
#include "layout/rules.h"
#include "layout/unused.h"
#include "support/did_you_mean.h"
#include "support/text.h"

namespace mtfc::lowering {
namespace {

using Kind = LayoutScope::Kind;

}  // namespace

ScopeMistakes::ScopeMistakes(const Layout& layout, const Model& model, Diagnostics& diagnostics)
    : model_(model), mistakes_(diagnostics), split_(split_names(layout, model)) {}

void ScopeMistakes::ruled_twice(const std::string& what, const LayoutRule& one,
                                const LayoutRule& other, const std::string& help) {
  const bool in_order = one.span.file != other.span.file || one.span.begin <= other.span.begin;
  const LayoutRule &first = in_order ? one : other, &second = in_order ? other : one;
  report(diag(DiagKind::dimension_ruled_twice,
              what + " over both `" + axes_text(first) + "` and `" + axes_text(second) + "`")
             .at(second.span, "second rule")
             .also(first.span, "first rule")
             .help(help));
}

const ScopeMistakes::Things& ScopeMistakes::things(Kind kind) {
  const auto [found, fresh] = things_.try_emplace(kind);
  Things& things = found->second;
  if (!fresh) return things;
  const auto add = [&](std::string_view path, bool exemplary) {
    if (path.empty()) return;
    things.paths.insert(general_path(path));
    if (things.example.empty() && exemplary) things.example = path;
  };
  if (kind == Kind::param)
    for (const Variable& v : model_.variables)
      if (v.kind == Variable::Kind::parameter) add(v.path, true);
  for (const Operation& op : model_.train.ops) {
    if (kind == Kind::block) add(op.role.block.str(), true);
    if (kind == Kind::value) add(result_name(model_.train, op), !op.operands.empty());
  }
  return things;
}

/// Names of dimensions of what it matches.
std::set<std::string> ScopeMistakes::dims_in(const LayoutScope& scope) const {
  std::set<std::string> names;
  const auto add = [&](const DimList& dims) {
    for (const DimId dim : dims) names.insert(model_.dims[dim].name);
  };
  if (scope.kind == Kind::param) {
    for (const Variable& v : model_.variables)
      if (v.kind == Variable::Kind::parameter && glob_matches(scope.glob, v.path)) add(v.type.dims);
    return names;
  }
  ScopeGlob glob(scope.kind, scope.glob);
  for (const Operation& op : model_.train.ops)
    if (glob.depth(op.role.block, result_name(model_.train, op)) > 0)
      for (const ValueId id : op.results) add(model_.train.at(id).type.dims);
  return names;
}

void ScopeMistakes::matches_nothing(const LayoutScope& scope) {
  const bool blocks = scope.kind == Kind::block, parameters = scope.kind == Kind::param;
  const Things& there = things(scope.kind);
  const auto path =
      meant_path(scope.glob, there.paths, blocks ? Within::beginnings : Within::whole_paths);
  Diagnostic d = diag(DiagKind::unused_rule, "`" + head_of(scope) + "` matches no " +
                                                 (blocks       ? "block instance"
                                                  : parameters ? "parameter"
                                                               : "named value") +
                                                 " of this model")
                     .at(scope.glob_span);
  if (path) {
    d.help(meant(path->globs));
    if (path->is_sure) d.fix(scope.glob_span, "\"" + path->globs.front() + "\"");
    return report(std::move(d));
  }
  std::string form = "`*` matches within a segment of a path, `**` across segments";
  if (!there.example.empty())
    form += std::string("; a ") +
            (blocks       ? "block"
             : parameters ? "path"
                          : "value") +
            " is `" + there.example + "`";
  report(d.help(form).help(if_meant(scope)));
}

void ScopeMistakes::unused(const ScopeUse& scope) {
  if (scope.text->rules.empty())
    report(diag(DiagKind::unused_rule, "`" + head_of(*scope.text) + "` has no rules")
               .at(scope.text->glob_span));
  if (scope.matches == 0) {
    if (!scope.text->optional) matches_nothing(*scope.text);
    return;
  }
  for (const LayoutRule& rule : scope.text->rules)
    if (!scope.used.contains(&rule) && !rule.optional)
      unused(scope, rule);
    else if (auto idle = idle_entry(*scope.text, rule, split_))
      report(std::move(*idle));
}

void ScopeMistakes::unused(const ScopeUse& scope, const LayoutRule& rule) {
  const std::string what = "rule `" + text_of(rule) + "` of `" + head_of(*scope.text) + "` ";
  for (const LayoutRule& other : scope.text->rules)
    if (&other < &rule && other.pattern == rule.pattern && other.axes == rule.axes)
      return report(diag(DiagKind::repeated_rule, what + "is listed twice")
                        .at(rule.span, "second")
                        .also(other.span, "first"));
  const std::set<std::string> dims = dims_in(*scope.text);
  for (const LayoutRule& other : scope.text->rules)
    if (scope.used.contains(&other))
      for (const std::string& dim : dims)
        if (matches(rule.pattern, dim) && matches(other.pattern, dim))
          return report(
              diag(DiagKind::unused_rule, what + "splits nothing")
                  .at(rule.pattern_span, "`" + text_of(other) + "` holds for what it matches"));
  Diagnostic d =
      diag(DiagKind::unused_rule, what + "matches no dimension there").at(rule.pattern_span);
  if (!dims.empty())
    d.notes.push_back("dimensions there: " + list_names({dims.begin(), dims.end()}, 8));
  propose_dimension(d, rule, dims,
                    "if that is meant, write `" + rule.pattern + "?:" + axes_text(rule) + "`");
  report(std::move(d));
}

}  // namespace mtfc::lowering
