#include "frontend/elaborate/builtins.h"

#include <algorithm>

namespace mtfc::elab {

namespace {

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

}  // namespace

const ElementwiseRow* find_elementwise(std::string_view name) {
  for (const ElementwiseRow& row : elementwise_rows)
    if (row.name == name) return &row;
  return nullptr;
}

bool is_draw(std::string_view name) {
  constexpr std::string_view draws[] = {"uniform",  "normal",    "truncated_normal",
                                        "integers", "bernoulli", "fan_in",
                                        "he",       "glorot",    "orthogonal"};
  return std::find(std::begin(draws), std::end(draws), name) != std::end(draws);
}

const Builtin* find_builtin(std::string_view name) {
  for (const Builtin& row : Elaborator::builtins())
    if (row.name == name) return &row;
  return nullptr;
}

std::vector<std::string> builtin_names() {
  std::vector<std::string> names{"index"};
  for (const Builtin& row : Elaborator::builtins()) names.emplace_back(row.name);
  return names;
}

const std::vector<Builtin>& Elaborator::builtins() {
  static const std::vector<Builtin> table = [] {
    using E = Elaborator;
    using L = ListUse;
    std::vector<Builtin> rows{
        {"einsum", 1, -1, {}, L::optional, L::optional, &E::call_einsum},
        {"sum", 1, 1, {}, L::optional, L::optional, &E::call_sum},
        {"mean", 1, 1, {"weight"}, L::optional, L::optional, &E::call_mean},
        {"min", 1, -1, {}, L::optional, L::optional, &E::call_extremum},
        {"max", 1, -1, {}, L::optional, L::optional, &E::call_extremum},
        {"any", 1, 1, {}, L::optional, L::optional, &E::call_any_all},
        {"all", 1, 1, {}, L::optional, L::optional, &E::call_any_all},
        {"argmax", 1, 1, {}, L::required, L::none, &E::call_argmax},
        {"cumsum", 1, 1, {"exclusive", "reverse"}, L::required, L::none, &E::call_cumsum},
        {"top_k", 1, 1, {}, L::required, L::required, &E::call_top_k},
        {"nth_largest", 2, 2, {}, L::required, L::none, &E::call_nth},
        {"nth_smallest", 2, 2, {}, L::required, L::none, &E::call_nth},
        {"shift", 2, 2, {"wrap"}, L::required, L::none, &E::call_shift},
        {"pad", 1, 1, {"before", "value"}, L::required, L::required, &E::call_pad},
        {"concat", 2, -1, {}, L::required, L::required, &E::call_concat},
        {"stack", 1, -1, {}, L::none, L::required, &E::call_stack},
        {"softmax", 1, 1, {}, L::required, L::none, &E::call_softmax},
        {"log_softmax", 1, 1, {}, L::required, L::none, &E::call_softmax},
        {"logsumexp", 1, 1, {}, L::optional, L::optional, &E::call_softmax},
        {"cross_entropy",
         2,
         2,
         {"smoothing", "z_loss"},
         L::required,
         L::none,
         &E::call_cross_entropy},
        {"one_hot", 1, 1, {}, L::none, L::required, &E::call_one_hot},
        {"broadcast", 1, 1, {}, L::none, L::required, &E::call_broadcast},
        {"where", 3, 3, {}, L::none, L::none, &E::call_where},
        {"stop_gradient", 1, 1, {}, L::none, L::none, &E::call_stop_gradient},
    };
    for (const char* type : {"f64", "f32", "f16", "bf16", "int", "bool"})
      rows.push_back({type, 1, 1, {}, L::none, L::none, &E::call_cast});
    for (const ElementwiseRow& row : elementwise_rows)
      rows.push_back({row.name, 1, 1, {}, L::none, L::none, &E::call_elementwise});
    return rows;
  }();
  return table;
}

}  // namespace mtfc::elab
