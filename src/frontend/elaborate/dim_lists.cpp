#include "frontend/elaborate/dim_lists.h"

#include <algorithm>

#include "frontend/elaborate/names.h"
#include "frontend/elaborate/report.h"
#include "frontend/elaborate/values.h"

namespace mtfc::elab {

namespace {

/// In a block two formals may stand for one dimension; then the formal wants a prime.
void listed_twice(Context& cx, DimId dim, const ast::DimItem& first, const ast::DimItem& second) {
  const std::string& name = cx.dims()[dim].name;
  Diagnostic d = diag(DiagKind::repeated_dimension, "dimension `" + name + "` is listed twice")
                     .at(second.span, "a second time")
                     .note("a tensor has at most one dimension of each name");
  const Frame* frame = cx.now.scope->frame;
  const ast::BlockDecl* block = frame ? frame->block : nullptr;
  std::string formal;  // of the `over` list, without a prime
  if (block && block->over && block->to && first.name.text != second.name.text)
    for (const ast::DimItem& item : block->over->items)
      if (item.name.text == first.name.text || item.name.text == second.name.text)
        formal = item.name.text;
  if (formal.empty() || formal.back() == '\'') {
    d.helps.push_back("list it once, or for a second dimension of the same size write `" + name +
                      "'`");
  } else {
    std::string over, to;
    for (const ast::DimItem& item : block->over->items)
      over += (over.empty() ? "" : ", ") + item.name.text + (item.name.text == formal ? "'" : "");
    for (const ast::DimItem& item : block->to->items)
      to += (to.empty() ? "" : ", ") + item.name.text;
    d.labels.push_back({block->over->span,
                        "`" + first.name.text + "` and `" + second.name.text + "` both match `" +
                            name + "` in this call",
                        false});
    d.helps.push_back("give the formal a prime, `over " + over + " -> " + to + "`, and write `" +
                      formal + "'` in the body: it is then an alias where both lists have one " +
                      "dimension");
  }
  report(cx, std::move(d));
}

/// `dim a = 1, b = 2` NEWLINE `c = 3`: the end of the list, if `c` directly follows it.
std::optional<Span> comma_missing(const Context& cx, const Binding& binding) {
  const auto module =
      std::find_if(cx.session.modules.begin(), cx.session.modules.end(),
                   [&](const Module& m) { return m.file.file == binding.declared.file; });
  if (binding.kind != Binding::Kind::tensor || module == cx.session.modules.end())
    return std::nullopt;
  const ast::File& file = module->file;
  for (std::size_t i = 0; i + 1 < file.body.size(); ++i) {
    const auto* dims = std::get_if<ast::DimDecl>(&file.at(file.body[i]).node);
    const auto* next = std::get_if<ast::Assign>(&file.at(file.body[i + 1]).node);
    if (!dims || !next || !(next->targets[0].name.span == binding.declared)) continue;
    const Span last = file.at(dims->dims.back().value).span;
    return Span{last.file, last.end, last.end};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Dims> dims_named(Context& cx, const ast::Name& name, const Operands& near) {
  if (const Binding* binding = find_binding(cx, name.text, name.span)) {
    if (binding->kind == Binding::Kind::dim)
      return binding->usable ? std::optional(binding->dims) : std::nullopt;
    if (const auto gap = comma_missing(cx, *binding)) {
      report(cx, diag(DiagKind::missing_comma,
                      "missing `,` before `" + name.text + "`, which is used as a dimension")
                     .at(*gap, "the list of dimensions ends here")
                     .also(binding->declared, "so this defines a tensor")
                     .also(name.span, "used as a dimension")
                     .help("write a comma between the two")
                     .fix(*gap, ","));
      return std::nullopt;
    }
    Diagnostic d =
        diag(DiagKind::unknown_dimension,
             "`" + name.text + "` is " + std::string(describe(binding->kind)) + ", not a dimension")
            .at(name.span, "a dimension is needed here")
            .also(binding->declared, "defined here");
    suggest_own(d, name, visible_names(cx, true));
    report(cx, std::move(d));
    return std::nullopt;
  }
  if (name.text.size() > 1 && name.text.back() == '\'') {
    ast::Name base{name.text.substr(0, name.text.size() - 1), name.span};
    auto dims = dims_named(cx, base, near);
    if (!dims) return std::nullopt;
    for (DimId& dim : *dims) dim = cx.session.alias(dim);
    return dims;
  }
  Diagnostic d = diag(DiagKind::unknown_dimension, "unknown dimension `" + name.text + "`")
                     .at(name.span, "not declared");
  std::vector<std::string> candidates;
  std::string has;
  for (const Operand& o : near) {
    if (!o.val.tensor()) continue;
    has += (has.empty() ? "" : "; ") + quoted_source(cx, o.span) + " has " +
           show(cx, dims_of(cx, o.val));
    for (DimId dim : dims_of(cx, o.val)) candidates.push_back(cx.dims()[dim].name);
  }
  if (!has.empty()) d.notes.push_back(has);
  for (std::string& visible : visible_names(cx, true)) candidates.push_back(std::move(visible));
  suggest_own(d, name, candidates);
  if (d.helps.empty()) d.help("declare it with its size: `dim " + name.text + " = ...`");
  report(cx, std::move(d));
  return std::nullopt;
}

std::optional<DimId> dim_named(Context& cx, const ast::Name& name, const Operands& near) {
  const auto dims = dims_named(cx, name, near);
  if (!dims) return std::nullopt;
  if (dims->size() == 1) return (*dims)[0];
  report(cx, diag(DiagKind::wrong_list, "`" + name.text + "` stands for " +
                                            std::to_string(dims->size()) + " dimensions here")
                 .at(name.span, "one dimension is needed")
                 .note("`" + name.text + "` is " + show(cx, *dims)));
  return std::nullopt;
}

std::optional<Dims> dim_list(Context& cx, const ast::DimList& list, const Operands& near) {
  Dims result;
  std::vector<const ast::DimItem*> from;  // which item gave each of them
  bool fine = true;
  for (const ast::DimItem& item : list.items) {
    Dims dims;
    if (item.kind == ast::DimItem::Kind::ellipsis) {
      report(cx, diag(DiagKind::wrong_list, "`...` is only allowed in the pattern of an argument")
                     .at(item.span));
      fine = false;
    } else if (item.kind == ast::DimItem::Kind::name) {
      const auto named = dims_named(cx, item.name, near);
      fine = fine && named;
      if (named) dims = *named;
    } else {
      const Val val = name_value(cx, item.name);
      fine = fine && !val.poison();
      dims = val.poison() ? Dims{} : dims_of(cx, val);
      for (const ast::Name& minus : item.minus) {
        const auto less = dims_named(cx, minus, {{val, item.name.span}});
        fine = fine && less;
        if (less) dims = without(dims, *less);
      }
    }
    for (DimId dim : dims) {
      if (!contains(result, dim)) {
        result.push_back(dim);
        from.push_back(&item);
        continue;
      }
      const ast::DimItem& first = *from[static_cast<std::size_t>(
          std::find(result.begin(), result.end(), dim) - result.begin())];
      listed_twice(cx, dim, first, item);
      fine = false;
    }
  }
  return fine ? std::optional(result) : std::nullopt;
}

std::optional<Dims> declared_shape(Context& cx, const ast::DimList& list, const std::string& of) {
  auto dims = dim_list(cx, list);
  if (!dims) return std::nullopt;
  for (std::size_t i = 0; i < dims->size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const Dim &a = cx.dims()[(*dims)[i]], &b = cx.dims()[(*dims)[j]];
      if (a.name != b.name) continue;
      report(cx, diag(DiagKind::repeated_dimension,
                      "`" + of + "` would have two dimensions named `" + a.name + "`")
                     .at(list.span)
                     .also(a.declared, "one is local to a block")
                     .help("pass the dimension by parameter (`dim " + a.name +
                           "`) or use the alias `" + a.name + "'`"));
      return std::nullopt;
    }
  return check_size(cx, *dims, list.span) ? dims : std::nullopt;
}

bool check_size(Context& cx, const Dims& dims, Span span) {
  constexpr std::int64_t limit = std::int64_t{1} << 53;
  std::int64_t total = 1;
  std::string product;
  bool fits = true;
  for (DimId dim : dims) {
    fits = fits && !__builtin_mul_overflow(total, cx.dims().size(dim), &total);
    product += (product.empty() ? "" : " * ") + std::to_string(cx.dims().size(dim));
  }
  if (fits && total < limit) return true;
  report(cx, diag(DiagKind::tensor_too_large,
                  "a tensor " + show(cx, dims) + " has 2^53 elements or more")
                 .at(span)
                 .note(product + " elements"));
  return false;
}

}  // namespace mtfc::elab
