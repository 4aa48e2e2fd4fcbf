// Random samples: fresh ones each step, and initial values of parameters and states.
#include <cmath>

#include "frontend/elaborate/blocks.h"
#include "frontend/elaborate/declare.h"
#include "frontend/elaborate/dim_lists.h"
#include "frontend/elaborate/expressions.h"
#include "frontend/elaborate/foreign_names.h"
#include "frontend/elaborate/names.h"
#include "frontend/elaborate/report.h"
#include "frontend/elaborate/sample_spec.h"
#include "frontend/elaborate/statements.h"
#include "frontend/elaborate/values.h"
#include "support/random_key.h"

namespace mtfc::elab {

namespace {

std::int64_t key_bits(std::int64_t seed, const std::string& path) {
  return static_cast<std::int64_t>(random_key(static_cast<std::uint64_t>(seed), path));
}

/// Newton's iteration multiplies matrices over the larger side; the smaller one needs an alias.
std::optional<ValueId> orthogonal_value(Context& cx, const SampleSpec& spec, const TensorType& type,
                                        std::int64_t key, Span span) {
  for (DimId dim : union_of(spec.rows, spec.columns)) {
    if (contains(type.dims, dim)) continue;
    report(cx, diag(DiagKind::missing_dimension,
                    "`" + dim_names(cx, {dim}) + "` is not a dimension of this tensor")
                   .at(span, "the tensor is " + show(cx, type.dims)));
    return std::nullopt;
  }
  const DimTable& dims = cx.dims();
  const bool wide = elements(dims, spec.rows) <= elements(dims, spec.columns);
  const Dims &small = wide ? spec.rows : spec.columns, &large = wide ? spec.columns : spec.rows;
  std::vector<DimGroup> aliases;
  Dims busy = type.dims;
  for (DimId dim : small) {
    // Far from the names that a model or a layout would use.
    const DimId alias = unused_alias(cx, cx.session.alias(cx.session.alias(dim)), busy);
    busy.push_back(alias);
    aliases.push_back({{dim}, {alias}});
  }
  ops::Builder& b = cx.session.init;
  const ValueId samples = b.random(spec.distribution, spec.a, 0, key, type, false);
  const ValueId q = b.apply("orthogonal", {samples}, {{"aliases", aliases}, {"others", large}});
  return spec.b == 1 ? q : b.binary("mul", q, b.constant(spec.b, type.dtype));
}

/// The path of a random sample; further ones of the same path get `~k`.
std::string sample_path(Context& cx, const std::string& name) {
  const std::string path = joined(cx.now.scope->path, name);
  const int before = cx.sample_paths[path]++;
  return before == 0 ? path : path + "~" + std::to_string(before);
}

/// `~ normal(0.02)`. Absent: reported.
std::optional<ValueId> initial_sample(Context& cx, const VariableDecl& decl,
                                      const std::string& path, const TensorType& type) {
  const Span span = cx.expr(decl.init).span;
  const auto spec = sample_spec(cx, decl.init, true);
  if (!spec) return std::nullopt;
  if (is_float(spec->dtype) != is_float(type.dtype) ||
      (!is_float(type.dtype) && spec->dtype != type.dtype)) {
    report(cx, diag(DiagKind::type_mismatch,
                    "`" + decl.name.text + "` is " + std::string(name(type.dtype)) +
                        " and the random sample is " + std::string(name(spec->dtype)))
                   .at(span)
                   .also(decl.name.span, "declared here"));
    return std::nullopt;
  }
  const std::int64_t key = key_bits(cx.session.seed, path);
  if (!spec->rows.empty()) return orthogonal_value(cx, *spec, type, key, span);
  return cx.session.init.random(spec->distribution, spec->a, spec->b, key, type, false);
}

/// `= zeros` or `= zeros(k)`: what other languages call an initial value.
bool is_foreign_value(Context& cx, const VariableDecl& decl) {
  const ast::Expr& init = cx.expr(decl.init);
  const auto* ref = std::get_if<ast::NameRef>(&init.node);
  const auto* call = std::get_if<ast::Call>(&init.node);
  if (decl.sampled || (!ref && !call)) return false;
  const ast::Name& name = ref ? ref->name : call->callee;
  const std::string advice(advice_on_distribution(name.text));
  bool failed = false;
  if (advice.empty() || (ref ? find_binding(cx, name.text, name.span) != nullptr
                             : find_block(cx, *call, failed) || failed))
    return false;
  report(cx, diag(DiagKind::unknown_name, "unknown name `" + name.text + "`")
                 .at(name.span, "not defined")
                 .help(advice));
  return true;
}

/// `= 0`. Absent: reported.
std::optional<ValueId> initial_constant(Context& cx, const VariableDecl& decl,
                                        const TensorType& type) {
  const Span span = cx.expr(decl.init).span;
  const auto* call = std::get_if<ast::Call>(&cx.expr(decl.init).node);
  if (call && is_sample(call->callee.text)) {
    report(cx, diag(DiagKind::misplaced, "a random sample is written after `~`, not after `=`")
                   .at(span)
                   .help("write `" + decl.name.text + "[...] ~ " +
                         std::string(cx.session.sources.text(span)) + "`"));
    return std::nullopt;
  }
  if (is_foreign_value(cx, decl)) return std::nullopt;
  const Val val = eval(cx, decl.init);
  std::optional<double> number;
  if (const Number* n = val.number())
    number = constant_of(cx, *n, type.dtype, span);
  else if (val.boolean() && type.dtype == DType::boolean)
    number = *val.boolean();
  else
    not_static(cx, val, span, "an initial value");
  if (!number) return std::nullopt;
  return cx.session.init.constant(*number, type.dtype, type.dims);
}

}  // namespace

bool initialise(Context& cx, const VariableDecl& decl, const std::string& path,
                const TensorType& type) {
  cx.session.init.origin.span = cx.expr(decl.init).span;
  cx.session.init.role.block = cx.now.scope->path;
  const std::optional<ValueId> value =
      decl.sampled ? initial_sample(cx, decl, path, type) : initial_constant(cx, decl, type);
  if (!value) return false;
  cx.session.init.set_name(*value, path);
  cx.session.model.init.outputs.push_back({Output::Kind::variable, path, *value});
  return true;
}

void exec_sample(Context& cx, const ast::Assign& assign) {
  const auto spec = sample_spec(cx, assign.value, false);
  for (const ast::Target& target : assign.targets) {
    const Span span = join(target.name.span, cx.expr(assign.value).span);
    if (!target.shape) {
      report(cx, diag(DiagKind::wrong_list, "a random sample needs the dimensions of what is drawn")
                     .at(target.name.span)
                     .help("write `" + target.name.text + "[batch, ...] ~ ...`, or `" +
                           target.name.text + "[dims(x)] ~ ...` for the shape of `x`"));
      assign_name(cx, target.name, {});
      continue;
    }
    const auto dims = declared_shape(cx, *target.shape, target.name.text);
    const auto dtype = declared_type(cx, target.dtype);
    if (!dims || !spec || (target.dtype && !dtype)) {
      assign_name(cx, target.name, {});
      continue;
    }
    if (dtype && *dtype != spec->dtype && !(is_float(*dtype) && is_float(spec->dtype))) {
      report(cx, diag(DiagKind::type_mismatch,
                      "`" + target.name.text + "` is declared " + std::string(name(*dtype)) +
                          " and the random sample is " + std::string(name(spec->dtype)))
                     .at(cx.expr(assign.value).span)
                     .also(target.dtype->span, "declared here"));
      assign_name(cx, target.name, {});
      continue;
    }
    const std::string path = sample_path(cx, target.name.text);
    const ValueId id = build_at(cx, span).random(spec->distribution, spec->a, spec->b,
                                                 key_bits(cx.session.seed, path),
                                                 {dtype.value_or(spec->dtype), *dims}, true);
    assign_name(cx, target.name, {id});
  }
}

}  // namespace mtfc::elab
