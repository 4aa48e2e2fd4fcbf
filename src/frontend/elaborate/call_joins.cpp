// Calls that join tensors: concat along a dimension of theirs, stack along a new one.
#include "frontend/elaborate/builtins.h"
#include "frontend/elaborate/dim_lists.h"
#include "frontend/elaborate/report.h"
#include "frontend/elaborate/values.h"
#include "ops/concat.h"

namespace mtfc::elab {

namespace {

/// All operands of one type and, beside their parts, with the same dimensions; numbers fill.
std::optional<std::vector<ValueId>> join_operands(Context& cx, const CallSite& site,
                                                  const Dims& parts) {
  const auto ids = unify(cx, site.args);
  if (!ids) return std::nullopt;
  const auto rest = [&](std::size_t i) {
    const Dims& dims = cx.build.type((*ids)[i]).dims;
    return parts.empty() ? dims : without(dims, {parts[i]});
  };
  std::size_t first = 0;  // the first tensor says what the others must have
  while (first + 1 < ids->size() && !site.args[first].val.tensor()) ++first;
  std::vector<ValueId> result;
  for (std::size_t i = 0; i < ids->size(); ++i) {
    if (parts.empty() && !site.args[i].val.tensor()) {
      result.push_back(build_at(cx, site.args[i].span).broadcast((*ids)[i], rest(first)));
    } else if (same_set(rest(i), rest(first))) {
      result.push_back((*ids)[i]);
    } else {
      const std::string name = "`" + site.call->callee.text + "`";
      report(cx, diag(DiagKind::missing_dimension,
                      name + " joins tensors with the same other dimensions")
                     .at(site.args[i].span, show(cx, rest(i)))
                     .also(site.args[first].span, show(cx, rest(first)))
                     .help("repeat the smaller one: `broadcast(... -> dims)`"));
      return std::nullopt;
    }
  }
  return result;
}

bool is_new_dim(Context& cx, const CallSite& site, const Dims& have, DimId fresh) {
  if (!contains(have, fresh)) return true;
  report(cx, diag(DiagKind::repeated_dimension, "the result of `" + site.call->callee.text +
                                                    "` would have `" + dim_names(cx, {fresh}) +
                                                    "` twice")
                 .at(site.call->to->span, "the operands have " + show(cx, have)));
  return false;
}

/// Has each operand its part? If not, and it is plain what is meant, the list is written out.
bool has_parts(Context& cx, const CallSite& site, const Dims& parts) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Operand& operand = site.args[i];
    if (contains(dims_of(cx, operand.val), parts[i])) continue;
    const auto own = dims_of_their_own(cx, site);
    const auto& items = site.call->over->items;
    if (!own) return require_dims(cx, operand, {parts[i]}, *site.call->over, "join along");
    report(
        cx,
        diag(DiagKind::missing_dimension, quoted_source(cx, operand.span) + " has no dimension `" +
                                              cx.dims()[parts[i]].name + "` to join along")
            .at(items.size() == parts.size() ? items[i].span : site.call->over->span, "needed here")
            .note("it is " + show(cx, dims_of(cx, operand.val)) +
                  "; of several dimensions each is that of the operand at its position")
            .help("write `over " + dim_names(cx, *own) + " -> " + dim_names(cx, *site.to) + "`"));
    return false;
  }
  return true;
}

Val call_concat(Context& cx, const CallSite& site) {
  Dims parts = *site.over;
  if (parts.size() == 1) parts.assign(site.args.size(), parts[0]);
  if (parts.size() != site.args.size() || site.to->size() != 1) {
    const bool made = site.to->size() != 1;
    report(cx, diag(DiagKind::wrong_list,
                    made ? "`concat` makes one dimension"
                         : "`concat` of " + std::to_string(site.args.size()) +
                               " operands takes one dimension for all or one for each, not " +
                               std::to_string(parts.size()))
                   .at(made ? site.call->to->span : site.call->over->span));
    return {};
  }
  std::int64_t size = 0;
  std::string sum;
  if (!has_parts(cx, site, parts)) return {};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::int64_t part = cx.dims().size(parts[i]);
    size += part;
    sum += (i ? " + " : "") + std::to_string(part);
  }
  const DimId fresh = (*site.to)[0];
  if (size != cx.dims().size(fresh)) {
    report(cx, diag(DiagKind::sizes_differ, "the operands of `concat` have " + sum + " = " +
                                                std::to_string(size) + " elements and `" +
                                                dim_names(cx, {fresh}) + "` " +
                                                std::to_string(cx.dims().size(fresh)))
                   .at(site.call->to->span)
                   .also(cx.dims()[fresh].size_span, "size set here"));
    return {};
  }
  const auto ids = join_operands(cx, site, parts);
  if (!ids || !is_new_dim(cx, site, without(cx.build.type((*ids)[0]).dims, {parts[0]}), fresh))
    return {};
  return {ops::concat(build_at(cx, site.span), *ids, parts, fresh)};
}

/// stack(a, b, ... -> d): one place of d for each.
Val call_stack(Context& cx, const CallSite& site) {
  const std::int64_t count = static_cast<std::int64_t>(site.args.size());
  if (site.to->size() != 1) {
    report(cx, diag(DiagKind::wrong_list, "`stack` makes one dimension").at(site.call->to->span));
    return {};
  }
  const DimId fresh = (*site.to)[0];
  if (cx.dims().size(fresh) != count) {
    report(cx, diag(DiagKind::sizes_differ, "`stack` of " + counted(count, "operand") + " makes `" +
                                                dim_names(cx, {fresh}) + "` of size " +
                                                std::to_string(cx.dims().size(fresh)))
                   .at(site.call->to->span)
                   .also(cx.dims()[fresh].size_span, "size set here"));
    return {};
  }
  const auto ids = join_operands(cx, site, {});
  if (!ids || !is_new_dim(cx, site, cx.build.type((*ids)[0]).dims, fresh)) return {};
  return {ops::concat(build_at(cx, site.span), *ids, {}, fresh)};
}

}  // namespace

std::optional<Dims> dims_of_their_own(const Context& cx, const CallSite& site) {
  Dims shared = dims_of(cx, site.args[0].val);
  for (const Operand& operand : site.args)
    shared = without(shared, without(shared, dims_of(cx, operand.val)));
  Dims own;
  for (const Operand& operand : site.args) {
    const Dims rest = without(dims_of(cx, operand.val), shared);
    if (rest.size() != 1 || contains(own, rest[0])) return std::nullopt;
    own.push_back(rest[0]);
  }
  return own;
}

std::vector<Builtin> join_calls() {
  using L = CallForm::List;
  return {
      {"concat", call_form(2, -1, L::required, L::required), call_concat, "cat concatenate"},
      {"stack", call_form(1, -1, L::none, L::required), call_stack},
  };
}

}  // namespace mtfc::elab
