// Views: rename, split, merge, index and slice, all acting on the original dimensions at once.
#include <algorithm>
#include <map>

#include "frontend/elaborate/elaborator.h"

namespace mtfc::elab {

/// One item `dim = index`.
struct Elaborator::LookUp {
  DimId dim;
  ValueId index;
  std::optional<Affine> places;  // of a window
  double fill;
  bool goes_with(const LookUp& other) const {
    return places.has_value() == other.places.has_value() && fill == other.fill;
  }
};

/// What a view does, checked and in ids.
struct Elaborator::ViewPlan {
  std::vector<DimGroup> groups;
  struct Slice {
    DimId dim;
    std::int64_t begin;
    DimId fresh;
  };
  std::vector<Slice> slices;
  std::vector<LookUp> look_ups;
  struct Unequal {
    Dims from, to;
    Span span;
  };
  std::vector<Unequal> unequal;  // items whose sides differ in size
  Dims taken;                    // dimensions of the base that an item consumes
  Dims made;                     // by renames and slices
};

Val Elaborator::view(const ast::View& view, Span span, const Operand& base) {
  ViewPlan plan;
  bool fine = !base.val.poison();
  if (fine && !base.val.tensor()) {
    report(diag(DiagKind::type_mismatch,
                code(base.span) + " is " + show(base.val) + " and has no dimensions to view")
               .at(base.span));
    return {};
  }
  if (!fine) return {};
  if (!plan_view(view, base, plan) || !check_view_result(base, view, plan)) return {};
  for (const ViewPlan::Unequal& item : plan.unequal) sizes_differ(item.from, item.to, item.span);
  if (!plan.unequal.empty()) return {};

  // A dimension that is indexed or cut while another takes its name steps aside first.
  const std::vector<std::vector<LookUp>> stages = look_up_stages(plan);
  ValueId x = *base.val.tensor();
  Dims arriving = plan.made;
  if (stages.size() > 1)
    for (const LookUp& l : plan.look_ups) arriving = union_of(arriving, build_.type(l.index).dims);
  Dims busy = union_of(dims_of(base.val), arriving);
  std::map<DimId, DimId> aside;
  auto step_aside = [&](DimId dim) {
    if (!contains(arriving, dim)) return dim;
    const DimId twin = free_twin(dim, busy);
    busy.push_back(twin);
    plan.groups.push_back({{dim}, {twin}});
    return twin;
  };
  for (ViewPlan::Slice& slice : plan.slices) slice.dim = step_aside(slice.dim);
  for (const LookUp& l : plan.look_ups) aside[l.dim] = step_aside(l.dim);

  if (!plan.groups.empty()) x = at(span).view(x, plan.groups);
  for (const ViewPlan::Slice& s : plan.slices) x = at(span).slice(x, s.dim, s.begin, s.fresh);
  for (std::vector<LookUp> stage : stages) {
    for (LookUp& l : stage) l.dim = aside[l.dim];
    x = look_up(x, stage, span);
    if (!check_size(build_.type(x).dims, span)) return {};
  }
  return tensor(x, span);
}

/// Windows and look-ups by tensors take turns; each turn has one value for what lies outside. With
/// one value in all, their order makes no difference; else the last item that is outside decides.
std::vector<std::vector<Elaborator::LookUp>> Elaborator::look_up_stages(const ViewPlan& plan) {
  constexpr std::size_t most = 8;  // what the kernels take at once
  std::vector<LookUp> list = plan.look_ups;
  const bool one_fill = std::all_of(list.begin(), list.end(),
                                    [&](const LookUp& l) { return l.fill == list[0].fill; });
  if (one_fill)
    std::stable_partition(list.begin(), list.end(),
                          [](const LookUp& l) { return l.places.has_value(); });
  std::vector<std::vector<LookUp>> stages;
  for (const LookUp& l : list) {
    if (stages.empty() || !stages.back()[0].goes_with(l) || stages.back().size() == most)
      stages.emplace_back();
    stages.back().push_back(l);
  }
  return stages;
}

ValueId Elaborator::look_up(ValueId x, const std::vector<LookUp>& stage, Span span) {
  std::vector<WindowItem> items;
  Dims dims;
  std::vector<ValueId> indices;
  for (const LookUp& l : stage) {
    if (l.places) items.push_back({l.dim, *l.places});
    dims.push_back(l.dim);
    indices.push_back(l.index);
  }
  return items.empty() ? at(span).gather(x, dims, indices, stage[0].fill)
                       : at(span).window(x, std::move(items), stage[0].fill);
}

DimId Elaborator::free_twin(DimId dim, const Dims& taken) {
  do dim = session_.twin(dim);
  while (contains(taken, dim));
  return dim;
}

bool Elaborator::plan_view(const ast::View& view, const Operand& base, ViewPlan& plan) {
  bool fine = true;
  for (const ast::ViewItem& item : view.items) {
    if (const auto* rename = std::get_if<ast::RenameItem>(&item.item))
      fine = plan_rename(*rename, item.span, base, plan) && fine;
    if (const auto* index = std::get_if<ast::IndexItem>(&item.item))
      fine = plan_index(*index, base, plan) && fine;
    if (const auto* slice = std::get_if<ast::SliceItem>(&item.item))
      fine = plan_slice(*slice, item.span, base, plan) && fine;
  }
  return fine;
}

/// Consumes a dimension of the base.
bool Elaborator::take(DimId dim, const ast::Name& name, const Operand& base, ViewPlan& plan) {
  if (!contains(dims_of(base.val), dim)) {
    Diagnostic d = diag(DiagKind::missing_dimension,
                        code(base.span) + " has no dimension `" + name.text + "` to view")
                       .at(name.span, "not a dimension of it")
                       .note(is_dims(base));
    std::vector<std::string> candidates;
    for (DimId have : dims_of(base.val)) candidates.push_back(session_.model.dims[have].name);
    suggest(d, name, candidates);
    report(std::move(d));
    return false;
  }
  if (contains(plan.taken, dim)) {
    report(
        diag(DiagKind::repeated_dimension, "`" + name.text + "` occurs in two items of this view")
            .at(name.span, "a second time")
            .note("all items act on the original dimensions at once"));
    return false;
  }
  plan.taken.push_back(dim);
  return true;
}

std::optional<Dims> Elaborator::view_dims(const std::vector<ast::Name>& list,
                                          const Operands& near) {
  Dims result;
  bool fine = true;
  for (const ast::Name& name : list) {
    const auto dims = dims_named(name, near);
    fine = fine && dims;
    if (dims) result.insert(result.end(), dims->begin(), dims->end());
  }
  return fine ? std::optional(result) : std::nullopt;
}

bool Elaborator::plan_rename(const ast::RenameItem& item, Span span, const Operand& base,
                             ViewPlan& plan) {
  const auto from = view_dims(item.from, {base}), to = view_dims(item.to, {base});
  if (!from || !to) return false;
  for (const ast::Name& name : item.from) {
    const auto dims = dims_named(name, {base});
    for (DimId dim : dims ? *dims : Dims{})
      if (!take(dim, name, base, plan)) return false;
  }
  if (!check_size(*to, span)) return false;
  std::vector<DimGroup> groups{{*from, *to}};
  bool equal = elements(session_.model.dims, *from) == elements(session_.model.dims, *to);
  if (from->size() > 1 && from->size() == to->size()) {  // two lists: one dimension to one
    groups.clear();
    for (std::size_t i = 0; i < from->size(); ++i) {
      groups.push_back({{(*from)[i]}, {(*to)[i]}});
      equal = equal && session_.model.dims.size((*from)[i]) == session_.model.dims.size((*to)[i]);
    }
  } else if (from->size() != 1 && to->size() != 1) {
    report(diag(DiagKind::wrong_list,
                "a view item renames one dimension, splits one or merges several")
               .at(span, std::to_string(from->size()) + " dimensions become " +
                             std::to_string(to->size())));
    return false;
  }
  if (!equal) plan.unequal.push_back({*from, *to, span});
  plan.groups.insert(plan.groups.end(), groups.begin(), groups.end());
  plan.made.insert(plan.made.end(), to->begin(), to->end());
  return true;
}

void Elaborator::sizes_differ(const Dims& from, const Dims& to, Span span) {
  auto product = [&](const Dims& dims) {
    std::string text;
    for (DimId dim : dims)
      text += (text.empty() ? "" : " * ") + std::to_string(session_.model.dims.size(dim));
    if (dims.size() > 1) text += " = " + std::to_string(elements(session_.model.dims, dims));
    return text;
  };
  Diagnostic d =
      diag(DiagKind::sizes_differ, "`" + names(from) + "` and `" + names(to) +
                                       "` differ in size: " + product(from) + " and " + product(to))
          .at(span);
  for (DimId dim : union_of(from, to))
    if (session_.model.dims[dim].size_span.valid())
      d.labels.push_back({session_.model.dims[dim].size_span, "size set here", false});
  report(std::move(d));
}

bool Elaborator::plan_index(const ast::IndexItem& item, const Operand& base, ViewPlan& plan) {
  const auto dim = dim_named(item.dim, {base});
  const Operand index = operand(item.index);
  double fill = 0;
  if (item.otherwise) {
    const auto value =
        constant_operand(operand(*item.otherwise), type(base).dtype, "the value after `else`");
    if (!value) return false;
    fill = *value;
  }
  if (!dim || index.val.poison() || !take(*dim, item.dim, base, plan)) return false;
  const std::int64_t size = session_.model.dims.size(*dim);
  if (const Number* number = index.val.number()) {
    const auto whole = number->as_integer();
    if (!whole || *whole < 0 || *whole >= size) {
      Diagnostic d = diag(DiagKind::out_of_range,
                          to_string(*number) + " is not an index of `" + item.dim.text + "`")
                         .at(index.span, "the indices are 0 to " + std::to_string(size - 1));
      if (whole && *whole < 0)
        d.helps.push_back("to count from the end write `" + item.dim.text + " - " +
                          std::to_string(-*whole) + "`");
      report(std::move(d));
      return false;
    }
  } else if (index.val.tensor() && type(index).dtype != DType::i32) {
    report(diag(DiagKind::type_mismatch, "the index of `" + item.dim.text + "` is not int")
               .at(index.span, show(index.val))
               .help("declare the input as `: int`, or cast with `int(...)`"));
    return false;
  }
  const auto id = as_tensor(index, DType::i32);
  if (!id) return false;
  const Affine* places = index.val.number() ? nullptr : affine_.find(*id);
  plan.look_ups.push_back({*dim, *id, places ? std::optional(*places) : std::nullopt, fill});
  return true;
}

bool Elaborator::plan_slice(const ast::SliceItem& item, Span span, const Operand& base,
                            ViewPlan& plan) {
  const auto dim = dim_named(item.dim, {base}), fresh = dim_named(item.fresh);
  const auto low = static_number(item.low, "the start of a slice");
  const auto high = static_number(item.high, "the end of a slice");
  if (!dim || !fresh || !low || !high || !take(*dim, item.dim, base, plan)) return false;
  const auto lo = low->as_integer(), hi = high->as_integer();
  const std::int64_t size = session_.model.dims.size(*dim);
  if (!lo || !hi || *lo < 0 || *hi > size || *lo >= *hi) {
    report(diag(DiagKind::out_of_range, "`" + to_string(*low) + ":" + to_string(*high) +
                                            "` is not a range of `" + item.dim.text + "`")
               .at(span, "the range must lie in 0:" + std::to_string(size) + " and not be empty"));
    return false;
  }
  if (session_.model.dims.size(*fresh) != *hi - *lo) {
    report(diag(DiagKind::sizes_differ,
                "the slice has " + counted(static_cast<double>(*hi - *lo), "element") + " and `" +
                    item.fresh.text + "` " + std::to_string(session_.model.dims.size(*fresh)))
               .at(span)
               .also(session_.model.dims[*fresh].size_span, "size set here"));
    return false;
  }
  plan.slices.push_back({*dim, *lo, *fresh});
  plan.made.push_back(*fresh);
  return true;
}

/// No name twice in the result.
bool Elaborator::check_view_result(const Operand& base, const ast::View& view,
                                   const ViewPlan& plan) {
  Dims result = without(dims_of(base.val), plan.taken);
  for (DimId dim : plan.made) {
    if (contains(result, dim)) {
      rename_collision(view, base, dim);
      return false;
    }
    result.push_back(dim);
  }
  return true;
}

void Elaborator::rename_collision(const ast::View& view, const Operand& base, DimId twice) {
  const std::string& name = session_.model.dims[twice].name;
  Span where = view.brackets;
  std::string from;
  for (const ast::ViewItem& item : view.items)
    if (const auto* rename = std::get_if<ast::RenameItem>(&item.item))
      for (const ast::Name& to : rename->to) {
        const auto dims = dims_named(to);
        if (!dims || !contains(*dims, twice)) continue;
        where = item.span;
        from = rename->from[0].text;
      }
  std::string message =
      "this view would give " + code(base.span) + " two dimensions named `" + name + "`";
  if (!from.empty())
    message = "renaming `" + from + "` to `" + name + "` would give " + code(base.span) +
              " two dimensions named `" + name + "`";
  report(diag(DiagKind::repeated_dimension, message)
             .at(where, is_dims(base))
             .note("a tensor has at most one dimension of each name")
             .help("declare a fresh name of the same size: `dim " + name +
                   "2 = " + (from.empty() ? name : from) + "`, or use the twin `" +
                   (from.empty() ? name : from) + "'`"));
}

}  // namespace mtfc::elab
