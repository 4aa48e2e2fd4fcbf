// Products that sum a dimension of one operand and multiply another element by element.
#include <algorithm>
#include <optional>

#include "frontend/elaborate/report.h"
#include "frontend/elaborate/values.h"
#include "frontend/elaborate/warn_products.h"

namespace mtfc::elab {

namespace {

std::size_t owners(const Context& cx, const std::vector<ValueId>& ids, DimId dim) {
  std::size_t count = 0;
  for (ValueId id : ids) count += contains(cx.build.type(id).dims, dim) ? 1 : 0;
  return count;
}

std::string source_of(const Context& cx, const Operand& operand) {
  return std::string(cx.session.sources.text(operand.span));
}

/// The paired dimension that the lonely one is another name of, as `memory = length` says; none.
std::optional<DimId> not_renamed(const Context& cx, DimId lonely, const Dims& paired) {
  const Dim& wanted = cx.dims()[lonely];
  for (DimId dim : paired)
    if (const Dim& have = cx.dims()[dim];
        wanted.formula == have.name || have.formula == wanted.name)
      return dim;
  return std::nullopt;
}

}  // namespace

void warn_private_sum(Context& cx, const CallSite& site, const std::vector<ValueId>& ids,
                      const Dims& rest) {
  if (ids.size() < 2) return;
  Dims lonely, paired;
  for (ValueId id : ids)
    for (DimId dim : cx.build.type(id).dims) {
      const bool stays = contains(rest, dim), shared = owners(cx, ids, dim) == ids.size();
      if (!stays && owners(cx, ids, dim) > 1) return;  // a product that sums what it should
      if (!stays && !contains(lonely, dim)) lonely.push_back(dim);
      if (stays && shared && !contains(paired, dim)) paired.push_back(dim);
    }
  if (lonely.empty()) return;
  // What was renamed for it is meant.
  const auto is_renamed = [&](DimId dim) { return is_alias_dim(cx.dims()[dim]); };
  if (paired.empty() && std::any_of(lonely.begin(), lonely.end(), is_renamed)) return;
  std::size_t owner = 0;
  while (!contains(cx.build.type(ids[owner]).dims, lonely[0])) ++owner;
  std::erase_if(lonely, [&](DimId dim) { return !contains(cx.build.type(ids[owner]).dims, dim); });
  const Operand& of = site.args[owner];
  const std::string sums = dim_names(cx, lonely), pairs = dim_names(cx, paired);
  const std::string what =
      "`einsum` sums `" + sums + "`, which only " + quoted_source(cx, of.span) + " has, and ";
  const Span list = site.call->over ? site.call->over->span : site.call->to->span;
  Diagnostic d = diag(DiagKind::private_sum,
                      what + (paired.empty() ? "nothing that two operands have"
                                             : "multiplies `" + pairs + "` element by element"))
                     .at(list, "`" + sums + "` is in one operand only");
  for (const Operand& operand : site.args)
    if (operand.val.tensor()) d.notes.push_back(is_dims(cx, operand));
  const auto from = ids.size() == 2 ? not_renamed(cx, lonely[0], paired) : std::nullopt;
  if (from)
    d.helps.push_back("rename a dimension of " + quoted_source(cx, site.args[1 - owner].span) +
                      " before the product: `" + source_of(cx, site.args[1 - owner]) + "[" +
                      cx.dims()[*from].name + " -> " + cx.dims()[lonely[0]].name + "]`");
  else
    d.helps.push_back(paired.empty()
                          ? "a matrix product sums what both have: is another operand meant?"
                          : "a matrix product sums what both have: `over " + pairs + "`");
  if (ids.size() == 2)
    d.helps.push_back("if it is meant, write the sum apart: `" +
                      source_of(cx, site.args[1 - owner]) + " * sum(" + source_of(cx, of) +
                      " over " + sums + ")`");
  report(cx, std::move(d));
}

}  // namespace mtfc::elab
