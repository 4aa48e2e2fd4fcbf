#include "plan/price/few_iterations.h"

#include <algorithm>

#include "layout/rules.h"
#include "lowering/program/program_passes.h"
#include "support/rounding.h"

namespace mtfc::plan {
namespace {

/// Whether the layout keeps parameters on shards of this dimension.
bool is_kept_along(const std::string& dim, const Choice& choice, const Layout& given) {
  if (std::any_of(choice.kept.begin(), choice.kept.end(),
                  [&](const Split& split) { return split.dim == dim; }))
    return true;
  for (const LayoutScope& scope : given.scopes)
    if (scope.kind == LayoutScope::Kind::param)
      for (const LayoutRule& rule : scope.rules)
        if (lowering::matches(rule.pattern, dim)) return true;
  return false;
}

/// Those that are kept; where none is, all: their gradients are summed one after the other.
std::int64_t parameters_sent(const Model& model, const Choice& choice, const Layout& given) {
  const bool all = choice.kept.empty() && !has_scope(given, LayoutScope::Kind::param);
  return std::count_if(model.variables.begin(), model.variables.end(), [&](const Variable& v) {
    return v.kind == Variable::Kind::parameter &&
           (all || std::any_of(v.type.dims.begin(), v.type.dims.end(), [&](DimId dim) {
              return is_kept_along(model.dims[dim].name, choice, given);
            }));
  });
}

}  // namespace

std::int64_t few_iterations(const Models& models, const Choice& choice, const Layout& given) {
  const Model* less = models.find(choice.microbatches, fewest_iterations);
  const Model* more = models.find(choice.microbatches, fewest_iterations + 1);
  if (less == nullptr || more == nullptr) return fewest_iterations;
  const std::int64_t each =
      parameters_sent(*more, choice, given) - parameters_sent(*less, choice, given);
  constexpr std::int64_t ahead = lowering::kGathersAhead;
  return each <= 0 ? fewest_iterations : std::max(fewest_iterations, 1 + ceil_div(ahead, each));
}

}  // namespace mtfc::plan
