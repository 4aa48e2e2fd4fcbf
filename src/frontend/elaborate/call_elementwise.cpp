// Calls of elementwise functions of one operand.
#include <cmath>

#include "frontend/elaborate/builtins.h"
#include "frontend/elaborate/report.h"
#include "frontend/elaborate/values.h"

namespace mtfc::elab {

namespace {

struct ElementwiseRow {
  std::string_view name;
  bool ints;     // takes ints too
  bool statics;  // a static operand gives a static value
};
constexpr ElementwiseRow elementwise_rows[] = {
    {"exp", false, true},       {"log", false, true},         {"sqrt", false, true},
    {"rsqrt", false, false},    {"sin", false, false},        {"cos", false, false},
    {"tanh", false, false},     {"sigmoid", false, false},    {"relu", false, false},
    {"gelu", false, false},     {"silu", false, false},       {"leaky_relu", false, false},
    {"softplus", false, false}, {"elu", false, false},        {"selu", false, false},
    {"erf", false, false},      {"abs", true, true},          {"sign", true, false},
    {"floor", false, true},     {"ceil", false, true},        {"round", false, true},
    {"square", false, false},   {"reciprocal", false, false},
};

const ElementwiseRow* find_elementwise(std::string_view name) {
  for (const ElementwiseRow& row : elementwise_rows)
    if (row.name == name) return &row;
  return nullptr;
}

Val call_elementwise(Context& cx, const CallSite& site) {
  const std::string& name = site.call->callee.text;
  const ElementwiseRow& row = *find_elementwise(name);
  const Operand& x = site.args[0];
  if (!is_numeric(cx, x, "`" + name + "`")) return {};
  if (const Number* number = x.val.number(); number && row.statics) {
    const auto result = static_function(name, *number);
    if (result && std::isfinite(result->value())) return {*result};
    report(cx,
           diag(DiagKind::no_result, "`" + name + "` of " + to_string(*number) + " is not a number")
               .at(site.span));
    return {};
  }
  if (row.ints && x.val.tensor()) return {build_at(cx, site.span).unary(name, *x.val.tensor())};
  const auto id = as_float(cx, x, "`" + name + "`");
  if (!id) return {};
  return {build_at(cx, site.span).unary(name, *id)};
}

}  // namespace

std::vector<Builtin> elementwise_calls() {
  using L = CallForm::List;
  std::vector<Builtin> rows;
  for (const ElementwiseRow& row : elementwise_rows)
    rows.push_back({row.name, call_form(1, 1, L::none, L::none), call_elementwise});
  return rows;
}

}  // namespace mtfc::elab
