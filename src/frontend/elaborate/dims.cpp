// Dimensions by name, lists of them, and their sizes.
#include <algorithm>
#include <cmath>

#include "frontend/elaborate/elaborator.h"

namespace mtfc::elab {

namespace {

constexpr std::int64_t max_size = (std::int64_t{1} << 31) - 1;

/// Names that occur in an expression, in the order of the text. Without recursion.
std::vector<ast::Name> names_in(const ast::File& file, ast::ExprId root) {
  std::vector<ast::Name> found;
  std::vector<ast::ExprId> open{root};
  while (!open.empty()) {
    const ast::Expr& e = file.at(open.back());
    open.pop_back();
    if (const auto* n = std::get_if<ast::NameRef>(&e.node)) found.push_back(n->name);
    if (const auto* u = std::get_if<ast::Unary>(&e.node)) open.push_back(u->operand);
    if (const auto* b = std::get_if<ast::Binary>(&e.node)) {
      open.push_back(b->right);
      open.push_back(b->left);
    }
    if (const auto* i = std::get_if<ast::IfThenElse>(&e.node))
      open.insert(open.end(), {i->else_value, i->then_value, i->condition});
    if (const auto* c = std::get_if<ast::Call>(&e.node))
      for (const ast::Argument& a : c->args) open.push_back(a.value);
  }
  std::sort(found.begin(), found.end(),
            [](const ast::Name& a, const ast::Name& b) { return a.span.begin < b.span.begin; });
  return found;
}

/// "4, 6": the divisors of `n` around `near`.
std::string divisors_near(std::int64_t n, std::int64_t near) {
  std::string text;
  for (std::int64_t d = near; d >= 1 && d > near - 10'000; --d)
    if (n % d == 0) {
      text = std::to_string(d);
      break;
    }
  for (std::int64_t d = near + 1; d <= n && d < near + 10'000; ++d)
    if (n % d == 0) {
      text += (text.empty() ? "" : ", ") + std::to_string(d);
      break;
    }
  return text;
}

}  // namespace

std::optional<Dims> Elaborator::dims_named(const ast::Name& name, const Operands& near) {
  if (const Binding* binding = find(name.text, name.span)) {
    if (binding->kind == Binding::Kind::dim)
      return binding->usable ? std::optional(binding->dims) : std::nullopt;
    report(
        diag(DiagKind::unknown_dimension,
             "`" + name.text + "` is " + std::string(describe(binding->kind)) + ", not a dimension")
            .at(name.span, "a dimension is needed here")
            .also(binding->declared, "defined here"));
    return std::nullopt;
  }
  if (name.text.size() > 1 && name.text.back() == '\'') {
    ast::Name base{name.text.substr(0, name.text.size() - 1), name.span};
    auto dims = dims_named(base, near);
    if (!dims) return std::nullopt;
    for (DimId& dim : *dims) dim = session_.twin(dim);
    return dims;
  }
  Diagnostic d = diag(DiagKind::unknown_dimension, "unknown dimension `" + name.text + "`")
                     .at(name.span, "not declared");
  std::vector<std::string> candidates;
  std::string has;
  for (const Operand& o : near) {
    if (!o.val.tensor()) continue;
    has += (has.empty() ? "" : "; ") + code(o.span) + " has " + show(dims_of(o.val));
    for (DimId dim : dims_of(o.val)) candidates.push_back(session_.model.dims[dim].name);
  }
  if (!has.empty()) d.notes.push_back(has);
  for (std::string& visible : visible_names(true)) candidates.push_back(std::move(visible));
  suggest(d, name, candidates);
  report(std::move(d));
  return std::nullopt;
}

std::optional<DimId> Elaborator::dim_named(const ast::Name& name, const Operands& near) {
  const auto dims = dims_named(name, near);
  if (!dims) return std::nullopt;
  if (dims->size() == 1) return (*dims)[0];
  report(diag(DiagKind::wrong_list,
              "`" + name.text + "` stands for " + std::to_string(dims->size()) + " dimensions here")
             .at(name.span, "one dimension is needed")
             .note("`" + name.text + "` is " + show(*dims)));
  return std::nullopt;
}

/// All dimensions of a list; none twice.
std::optional<Dims> Elaborator::dim_list(const ast::DimList& list, const Operands& near) {
  Dims result;
  std::vector<const ast::DimItem*> from;  // which item gave each of them
  bool fine = true;
  for (const ast::DimItem& item : list.items) {
    Dims dims;
    if (item.kind == ast::DimItem::Kind::ellipsis) {
      report(diag(DiagKind::wrong_list, "`...` stands only in the pattern of an argument")
                 .at(item.span));
      fine = false;
    } else if (item.kind == ast::DimItem::Kind::name) {
      const auto named = dims_named(item.name, near);
      fine = fine && named;
      if (named) dims = *named;
    } else {
      const Val val = name_value(item.name);
      fine = fine && !val.poison();
      dims = val.poison() ? Dims{} : dims_of(val);
      for (const ast::Name& minus : item.minus) {
        const auto less = dims_named(minus, {{val, item.name.span}});
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
      listed_twice(dim, first, item);
      fine = false;
    }
  }
  return fine ? std::optional(result) : std::nullopt;
}

/// In a block two formals may stand for one dimension; then the formal wants a prime.
void Elaborator::listed_twice(DimId dim, const ast::DimItem& first, const ast::DimItem& second) {
  const std::string& name = session_.model.dims[dim].name;
  Diagnostic d = diag(DiagKind::repeated_dimension, "dimension `" + name + "` is listed twice")
                     .at(second.span, "a second time")
                     .note("a tensor has at most one dimension of each name");
  const Frame* frame = now_.scope->frame;
  const ast::BlockDecl* block = frame ? frame->block : nullptr;
  std::string formal;  // of the `over` list, without a prime
  if (block && block->over && block->to && first.name.text != second.name.text)
    for (const ast::DimItem& item : block->over->items)
      if (item.name.text == first.name.text || item.name.text == second.name.text)
        formal = item.name.text;
  if (formal.empty() || formal.back() == '\'') {
    d.helps.push_back("for a second dimension of the same size write `" + name + "'`");
  } else {
    std::string over, to;
    for (const ast::DimItem& item : block->over->items)
      over += (over.empty() ? "" : ", ") + item.name.text + (item.name.text == formal ? "'" : "");
    for (const ast::DimItem& item : block->to->items)
      to += (to.empty() ? "" : ", ") + item.name.text;
    d.labels.push_back({block->over->span,
                        "`" + first.name.text + "` and `" + second.name.text +
                            "` both stand for `" + name + "` in this call",
                        false});
    d.helps.push_back("give the formal a prime, `over " + over + " -> " + to + "`, and write `" +
                      formal + "'` in the body: it is then a twin where both lists have one " +
                      "dimension");
  }
  report(std::move(d));
}

/// The dimensions of a declared tensor.
std::optional<Dims> Elaborator::shape(const ast::DimList& list, const std::string& of) {
  auto dims = dim_list(list);
  if (!dims) return std::nullopt;
  for (std::size_t i = 0; i < dims->size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const Dim &a = session_.model.dims[(*dims)[i]], &b = session_.model.dims[(*dims)[j]];
      if (a.name != b.name) continue;
      report(diag(DiagKind::repeated_dimension,
                  "`" + of + "` would have two dimensions named `" + a.name + "`")
                 .at(list.span)
                 .also(a.declared, "one is local to a block")
                 .help("pass the dimension by parameter (`dim " + a.name + "`) or use the twin `" +
                       a.name + "'`"));
      return std::nullopt;
    }
  return check_size(*dims, list.span) ? dims : std::nullopt;
}

bool Elaborator::check_size(const Dims& dims, Span span) {
  std::int64_t total = 1;
  std::string product;
  bool fits = true;
  for (DimId dim : dims) {
    fits = fits && !__builtin_mul_overflow(total, session_.model.dims.size(dim), &total);
    product += (product.empty() ? "" : " * ") + std::to_string(session_.model.dims.size(dim));
  }
  if (fits) return true;
  report(diag(DiagKind::tensor_too_large, "a tensor " + show(dims) + " has 2^63 elements or more")
             .at(span)
             .note(product + " elements"));
  return false;
}

// ---------------------------------------------------------------- sizes
void Elaborator::settle_dim(const std::string& name, Binding& binding, Scope& home, const Val& val,
                            Span size_span, const Override* from) {
  binding.usable = false;
  if (val.poison()) return;
  const Number* number = val.number();
  const auto size = number ? number->as_integer() : std::nullopt;
  if (!size || *size < 1 || *size > max_size) {
    const ast::ExprId formula = from ? from->value : binding.formula;
    bad_size(name, val, now_, formula);
    return;
  }
  Dim dim;
  dim.formula = session_.sources.text(size_span);
  if (from) dim.origin = "-D " + name + "=" + from->text;
  dim.declared = binding.declared;
  dim.size_span = size_span;
  binding.dims = {session_.dim(home.dim_path, name, *size, std::move(dim))};
  binding.usable = true;
  if (home.frame) home.frame->local_dims.insert(binding.dims[0]);
}

void Elaborator::bad_size(const std::string& name, const Val& val, const Context&,
                          ast::ExprId formula) {
  const Number* number = val.number();
  if (!number) {
    not_static(val, expr(formula).span, "a size");
    return;
  }
  const std::string text(session_.sources.text(expr(formula).span));
  const std::string steps = arithmetic_of(formula);
  const std::string result = to_string(*number);
  const bool whole = number->as_integer().has_value();
  std::string message = "`" + name + (text == result ? "" : " = " + text) + "` is not ";
  message += whole ? "from 1 to 2147483647: " : "a whole number: ";
  message += steps == result ? result : steps + " = " + result;
  Diagnostic d = diag(DiagKind::size_not_whole, message).at(expr(formula).span);
  note_origins(d, formula);
  if (const auto* b = std::get_if<ast::Binary>(&expr(formula).node);
      b && b->op == ast::BinaryOp::divide && !whole) {
    const Val over = eval(b->left), under = eval(b->right);
    const auto n = over.number() ? over.number()->as_integer() : std::nullopt;
    const auto k = under.number() ? under.number()->as_integer() : std::nullopt;
    if (n && k && *k > 0 && *n > 0)
      d.helps.push_back("divisors of " + std::to_string(*n) + " near " + std::to_string(*k) + ": " +
                        divisors_near(*n, *k));
  }
  report(std::move(d));
}

/// The text of a formula with its names replaced by their values: "384 / 5".
std::string Elaborator::arithmetic_of(ast::ExprId formula) {
  const Span span = expr(formula).span;
  std::string text;
  std::uint32_t at = span.begin;
  for (const ast::Name& name : names_in(*now_.file, formula)) {
    if (name.span.begin < at) continue;
    const Val val = name_value(name);
    text += session_.sources.text({span.file, at, name.span.begin});
    text += val.number() ? to_string(*val.number()) : name.text;
    at = name.span.end;
  }
  text += session_.sources.text({span.file, at, span.end});
  return text;
}

/// Which of the sizes in a formula come from the command line, directly or not.
void Elaborator::note_origins(Diagnostic& d, ast::ExprId formula) {
  std::vector<ast::Name> open = names_in(*now_.file, formula);
  std::set<std::string> seen;
  for (std::size_t i = 0; i < open.size() && i < 100; ++i) {
    const std::string name = open[i].text;
    if (!seen.insert(name).second) continue;
    const Binding* binding = find(name, open[i].span);
    if (!binding) continue;
    const bool main = now_.scope->module == &session_.modules.front();
    const Override* over = main ? session_.define(name) : nullptr;
    if (over) {
      d.notes.push_back("`" + name + " = " + over->text + "` comes from the command line (-D " +
                        name + "=" + over->text + "), not from this line");
    } else if (binding->formula.valid() && binding->declared.file == now_.file->file) {
      for (ast::Name& further : names_in(*now_.file, binding->formula))
        open.push_back(std::move(further));
    }
  }
}

}  // namespace mtfc::elab
