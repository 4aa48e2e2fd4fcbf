// Views: rename, split, merge, index and slice, all acting on the original dimensions at once.
#include <algorithm>
#include <map>

#include "frontend/elaborate/dim_lists.h"
#include "frontend/elaborate/expressions.h"
#include "frontend/elaborate/report.h"
#include "frontend/elaborate/values.h"
#include "frontend/elaborate/view_plan.h"

namespace mtfc::elab {

namespace {

/// Windows and look-ups by tensors take turns; each turn has one value for what lies outside. With
/// one value in all, their order makes no difference; else the last item that is outside decides.
std::vector<std::vector<LookUp>> look_up_stages(const ViewPlan& plan) {
  constexpr std::size_t most = 8;  // what the kernels take at once
  std::vector<LookUp> list = plan.look_ups;
  const bool one_fill = std::all_of(list.begin(), list.end(),
                                    [&](const LookUp& l) { return l.fill == list[0].fill; });
  if (one_fill)
    std::stable_partition(list.begin(), list.end(),
                          [](const LookUp& l) { return l.sites.has_value(); });
  std::vector<std::vector<LookUp>> stages;
  for (const LookUp& l : list) {
    if (stages.empty() || !stages.back()[0].goes_with(l) || stages.back().size() == most)
      stages.emplace_back();
    stages.back().push_back(l);
  }
  return stages;
}

ValueId look_up(Context& cx, ValueId x, const std::vector<LookUp>& stage, Span span) {
  std::vector<WindowItem> items;
  Dims dims;
  std::vector<ValueId> indices;
  for (const LookUp& l : stage) {
    if (l.sites) items.push_back({l.dim, *l.sites});
    dims.push_back(l.dim);
    indices.push_back(l.index);
  }
  return items.empty() ? build_at(cx, span).gather(x, dims, indices, stage[0].fill)
                       : build_at(cx, span).window(x, std::move(items), stage[0].fill);
}

}  // namespace

Val eval_view(Context& cx, const ast::View& view, Span span, const Operand& base) {
  ViewPlan plan;
  bool fine = !base.val.poison();
  if (fine && !base.val.tensor()) {
    report(cx,
           diag(DiagKind::type_mismatch, quoted_source(cx, base.span) + " is " +
                                             show(cx, base.val) + " and has no dimensions to view")
               .at(base.span));
    return {};
  }
  if (!fine) return {};
  if (!plan_view(cx, view, base, plan) || !check_view_result(cx, base, view, plan)) return {};

  // A dimension that is indexed or cut while another takes its name steps aside first.
  const std::vector<std::vector<LookUp>> stages = look_up_stages(plan);
  ValueId x = *base.val.tensor();
  Dims arriving = plan.made;
  if (stages.size() > 1)
    for (const LookUp& l : plan.look_ups)
      arriving = union_of(arriving, cx.build.type(l.index).dims);
  Dims busy = union_of(dims_of(cx, base.val), arriving);
  std::map<DimId, DimId> aside;
  auto step_aside = [&](DimId dim) {
    if (!contains(arriving, dim)) return dim;
    const DimId alias = unused_alias(cx, dim, busy);
    busy.push_back(alias);
    plan.groups.push_back({{dim}, {alias}});
    return alias;
  };
  for (ViewPlan::Slice& slice : plan.slices) slice.dim = step_aside(slice.dim);
  for (const LookUp& l : plan.look_ups) aside[l.dim] = step_aside(l.dim);

  if (!plan.groups.empty()) x = build_at(cx, span).view(x, plan.groups);
  for (const ViewPlan::Slice& s : plan.slices)
    x = build_at(cx, span).slice(x, s.dim, s.begin, s.fresh);
  for (std::vector<LookUp> stage : stages) {
    for (LookUp& l : stage) l.dim = aside[l.dim];
    x = look_up(cx, x, stage, span);
    if (!check_size(cx, cx.build.type(x).dims, span)) return {};
  }
  return checked_tensor(cx, x, span);
}

DimId unused_alias(Context& cx, DimId dim, const Dims& taken) {
  do dim = cx.session.alias(dim);
  while (contains(taken, dim));
  return dim;
}

}  // namespace mtfc::elab
