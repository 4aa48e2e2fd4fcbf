#include "frontend/elaborate/view_plan.h"

#include "frontend/elaborate/dim_lists.h"
#include "frontend/elaborate/expressions.h"
#include "frontend/elaborate/report.h"
#include "frontend/elaborate/values.h"
#include "frontend/elaborate/warn_outside.h"
#include "support/text.h"

namespace mtfc::elab {

namespace {

/// Consumes a dimension of the base.
bool take_dim(Context& cx, DimId dim, const ast::Name& name, const Operand& base, ViewPlan& plan) {
  if (!contains(dims_of(cx, base.val), dim)) {
    Diagnostic d =
        diag(DiagKind::missing_dimension,
             quoted_source(cx, base.span) + " has no dimension `" + name.text + "` to view")
            .at(name.span, "not a dimension of it")
            .note(is_dims(cx, base));
    std::vector<std::string> candidates;
    for (DimId have : dims_of(cx, base.val)) candidates.push_back(cx.dims()[have].name);
    suggest_own(d, name, candidates);
    report(cx, std::move(d));
    return false;
  }
  if (contains(plan.taken, dim)) {
    report(cx, diag(DiagKind::repeated_dimension,
                    "`" + name.text + "` occurs in two items of this view")
                   .at(name.span, "a second time")
                   .note("all items act on the original dimensions at once"));
    return false;
  }
  plan.taken.push_back(dim);
  return true;
}

std::optional<Dims> view_dims(Context& cx, const std::vector<ast::Name>& list,
                              const Operands& near) {
  Dims result;
  bool fine = true;
  for (const ast::Name& name : list) {
    const auto dims = dims_named(cx, name, near);
    fine = fine && dims;
    if (dims) result.insert(result.end(), dims->begin(), dims->end());
  }
  return fine ? std::optional(result) : std::nullopt;
}

bool plan_rename(Context& cx, const ast::RenameItem& item, Span span, const Operand& base,
                 ViewPlan& plan) {
  const auto from = view_dims(cx, item.from, {base}), to = view_dims(cx, item.to, {base});
  if (!from || !to) return false;
  for (const ast::Name& name : item.from) {
    const auto dims = dims_named(cx, name, {base});
    for (DimId dim : dims ? *dims : Dims{})
      if (!take_dim(cx, dim, name, base, plan)) return false;
  }
  if (!check_size(cx, *to, span)) return false;
  std::vector<DimGroup> groups{{*from, *to}};
  bool equal = elements(cx.dims(), *from) == elements(cx.dims(), *to);
  if (from->size() > 1 && from->size() == to->size()) {  // two lists: one dimension to one
    groups.clear();
    for (std::size_t i = 0; i < from->size(); ++i) {
      groups.push_back({{(*from)[i]}, {(*to)[i]}});
      equal = equal && cx.dims().size((*from)[i]) == cx.dims().size((*to)[i]);
    }
  } else if (from->size() != 1 && to->size() != 1) {
    report(cx, diag(DiagKind::wrong_list,
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

bool plan_index(Context& cx, const ast::IndexItem& item, const Operand& base, ViewPlan& plan) {
  const auto dim = dim_named(cx, item.dim, {base});
  const Operand index = eval_operand(cx, item.index);
  double fill = 0;
  if (item.otherwise) {
    const auto value = constant_operand(cx, eval_operand(cx, *item.otherwise),
                                        type_of(cx, base).dtype, "the value after `else`");
    if (!value) return false;
    fill = *value;
  }
  if (!dim || index.val.poison() || !take_dim(cx, *dim, item.dim, base, plan)) return false;
  const std::int64_t size = cx.dims().size(*dim);
  if (const Number* number = index.val.number()) {
    const auto whole = number->as_integer();
    if (!whole || *whole < 0 || *whole >= size) {
      Diagnostic d = diag(DiagKind::out_of_range,
                          to_string(*number) + " is not an index of `" + item.dim.text + "`")
                         .at(index.span, "the indices are 0 to " + std::to_string(size - 1));
      if (whole && *whole < 0 && *whole >= -size)
        d.helps.push_back("to count from the end write `" + item.dim.text + " - " +
                          std::to_string(-*whole) + "`");
      report(cx, std::move(d));
      return false;
    }
  } else if (index.val.tensor() && type_of(cx, index).dtype != DType::i32) {
    report(cx, diag(DiagKind::type_mismatch, "the index of `" + item.dim.text + "` is not int")
                   .at(index.span, show(cx, index.val))
                   .help("declare the input as `: int`, or cast with `int(...)`"));
    return false;
  }
  const auto id = as_tensor(cx, index, DType::i32);
  if (!id) return false;
  const auto affine = index.val.number() ? std::nullopt : cx.affine.find_index(*id);
  if (affine) warn_outside(cx, *dim, *affine, index.span);
  plan.look_ups.push_back({*dim, *id, affine, fill});
  return true;
}

bool plan_slice(Context& cx, const ast::SliceItem& item, Span span, const Operand& base,
                ViewPlan& plan) {
  const auto dim = dim_named(cx, item.dim, {base}), fresh = dim_named(cx, item.fresh);
  const auto low = static_number(cx, item.low, "the start of a slice");
  const auto high = static_number(cx, item.high, "the end of a slice");
  if (!dim || !fresh || !low || !high || !take_dim(cx, *dim, item.dim, base, plan)) return false;
  const auto lo = low->as_integer(), hi = high->as_integer();
  const std::int64_t size = cx.dims().size(*dim);
  if (!lo || !hi || *lo < 0 || *hi > size || *lo >= *hi) {
    report(cx,
           diag(DiagKind::out_of_range, "`" + to_string(*low) + ":" + to_string(*high) +
                                            "` is not a range of `" + item.dim.text + "`")
               .at(span, "the range must lie in 0:" + std::to_string(size) + " and not be empty"));
    return false;
  }
  if (cx.dims().size(*fresh) != *hi - *lo) {
    report(cx, diag(DiagKind::sizes_differ, "the slice has " + counted(*hi - *lo, "element") +
                                                " and `" + item.fresh.text + "` " +
                                                std::to_string(cx.dims().size(*fresh)))
                   .at(span)
                   .also(cx.dims()[*fresh].size_span, "size set here"));
    return false;
  }
  plan.slices.push_back({*dim, *lo, *fresh});
  plan.made.push_back(*fresh);
  return true;
}

/// "`k`", or "`(a, b)`".
std::string names_text(const std::vector<ast::Name>& names) {
  const std::string list =
      mtfc::joined(names, ", ", [](const ast::Name& name) { return name.text; });
  return names.size() == 1 ? "`" + list + "`" : "`(" + list + ")`";
}

void rename_collision(Context& cx, const ast::View& view, const Operand& base, DimId twice) {
  const std::string& name = cx.dims()[twice].name;
  const ast::RenameItem* found = nullptr;
  Span where = view.brackets;
  for (const ast::ViewItem& item : view.items)
    if (const auto* rename = std::get_if<ast::RenameItem>(&item.item))
      for (const ast::Name& to : rename->to)
        if (const auto dims = dims_named(cx, to); dims && contains(*dims, twice))
          found = rename, where = item.span;
  std::string message = "this view", size = name, alias = name;
  if (found) {
    const bool merges = found->from.size() > 1, splits = found->to.size() > 1;
    message = std::string(splits   ? "splitting "
                          : merges ? "merging "
                                   : "renaming ") +
              names_text(found->from) + (merges || splits ? " into " : " to ") +
              names_text(found->to);
    size = splits
               ? std::to_string(cx.dims().size(twice))
               : mtfc::joined(found->from, " * ", [](const ast::Name& from) { return from.text; });
    alias = splits || merges ? name : found->from[0].text;
  }
  report(cx, diag(DiagKind::repeated_dimension, message + " would give " +
                                                    quoted_source(cx, base.span) +
                                                    " two dimensions named `" + name + "`")
                 .at(where, is_dims(cx, base))
                 .note("a tensor has at most one dimension of each name")
                 .help("declare a fresh name of the same size: `dim " + name + "2 = " + size +
                       "`, or use the alias `" + alias + "'`"));
}

void sizes_differ(Context& cx, const Dims& from, const Dims& to, Span span) {
  auto product = [&](const Dims& dims) {
    std::string text;
    for (DimId dim : dims)
      text += (text.empty() ? "" : " * ") + std::to_string(cx.dims().size(dim));
    if (dims.size() > 1) text += " = " + std::to_string(elements(cx.dims(), dims));
    return text;
  };
  const bool one_by_one = elements(cx.dims(), from) == elements(cx.dims(), to);
  std::size_t i = 0;  // of renamings in parentheses the first that is wrong
  if (one_by_one)
    while (i + 1 < std::min(from.size(), to.size()) &&
           cx.dims().size(from[i]) == cx.dims().size(to[i]))
      ++i;
  const Dims x = one_by_one ? Dims{from[i]} : from, y = one_by_one ? Dims{to[i]} : to;
  Diagnostic d =
      diag(DiagKind::sizes_differ, "`" + dim_names(cx, x) + "` and `" + dim_names(cx, y) +
                                       "` differ in size: " + product(x) + " and " + product(y))
          .at(span);
  if (one_by_one)
    d.note(
        "`(a, b) -> (c, d)` renames `a` to `c` and `b` to `d`; the order of dimensions means "
        "nothing");
  for (DimId dim : union_of(from, to))
    if (cx.dims()[dim].size_span.valid())
      d.labels.push_back({cx.dims()[dim].size_span, "size set here", false});
  if (from.size() == 1 && to.size() == 1) {
    const std::string name = dim_names(cx, from);
    d.help("a renaming keeps the size: `dim " + name + "2 = " + name + "`, then `" + name + " -> " +
           name + "2`");
  }
  report(cx, std::move(d));
}

}  // namespace

bool plan_view(Context& cx, const ast::View& view, const Operand& base, ViewPlan& plan) {
  bool fine = true;
  for (const ast::ViewItem& item : view.items) {
    if (const auto* rename = std::get_if<ast::RenameItem>(&item.item))
      fine = plan_rename(cx, *rename, item.span, base, plan) && fine;
    if (const auto* index = std::get_if<ast::IndexItem>(&item.item))
      fine = plan_index(cx, *index, base, plan) && fine;
    if (const auto* slice = std::get_if<ast::SliceItem>(&item.item))
      fine = plan_slice(cx, *slice, item.span, base, plan) && fine;
  }
  return fine;
}

bool check_view_result(Context& cx, const Operand& base, const ast::View& view,
                       const ViewPlan& plan) {
  Dims result = without(dims_of(cx, base.val), plan.taken);
  for (DimId dim : plan.made) {
    if (contains(result, dim)) {
      rename_collision(cx, view, base, dim);
      return false;
    }
    result.push_back(dim);
  }
  for (const ViewPlan::Unequal& item : plan.unequal)
    sizes_differ(cx, item.from, item.to, item.span);
  return plan.unequal.empty();
}

}  // namespace mtfc::elab
