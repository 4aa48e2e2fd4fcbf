// The size of a dimension from its formula, and what is wrong with it.
#include <algorithm>

#include "frontend/elaborate/dim_lists.h"
#include "frontend/elaborate/expressions.h"
#include "frontend/elaborate/names.h"
#include "frontend/elaborate/report.h"

namespace mtfc::elab {

namespace {

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

/// The text of a formula with its names replaced by their values: "384 / 5".
std::string arithmetic_of(Context& cx, ast::ExprId formula) {
  const Span span = cx.expr(formula).span;
  std::string text;
  std::uint32_t at = span.begin;
  for (const ast::Name& name : names_in(*cx.now.file, formula)) {
    if (name.span.begin < at) continue;
    const Val val = name_value(cx, name);
    text += cx.session.sources.text({span.file, at, name.span.begin});
    text += val.number() ? to_string(*val.number()) : name.text;
    at = name.span.end;
  }
  text += cx.session.sources.text({span.file, at, span.end});
  return text;
}

/// Which of the sizes in a formula come from the command line, directly or not.
void note_origins(Context& cx, Diagnostic& d, ast::ExprId formula) {
  std::vector<ast::Name> open = names_in(*cx.now.file, formula);
  std::set<std::string> seen;
  for (std::size_t i = 0; i < open.size() && i < 100; ++i) {
    const std::string name = open[i].text;
    if (!seen.insert(name).second) continue;
    const Binding* binding = find_binding(cx, name, open[i].span);
    if (!binding) continue;
    if (binding->kind == Binding::Kind::dim && binding->dims.size() == 1)
      if (const std::string& own = cx.dims()[binding->dims[0]].name; own != name)
        d.notes.push_back("`" + name + "` is the caller's `" + own + "`");
    const bool main = cx.now.scope->module == &cx.session.modules.front();
    const Override* over = main ? cx.session.define(name) : nullptr;
    if (over) {
      d.notes.push_back("`" + name + " = " + over->text + "` comes from the command line (-D " +
                        name + "=" + over->text + "), not from this line");
    } else if (binding->formula.valid() && binding->declared.file == cx.now.file->file) {
      for (ast::Name& further : names_in(*cx.now.file, binding->formula))
        open.push_back(std::move(further));
    }
  }
}

void bad_size(Context& cx, const std::string& name, const Val& val, const Cursor&,
              ast::ExprId formula) {
  const Number* number = val.number();
  if (!number) {
    not_static(cx, val, cx.expr(formula).span, "a size");
    return;
  }
  const std::string text(cx.session.sources.text(cx.expr(formula).span));
  const std::string steps = arithmetic_of(cx, formula);
  const std::string result = to_string(*number);
  const bool whole = number->as_integer().has_value();
  std::string message = "`" + name + (text == result ? "" : " = " + text) + "` is not ";
  message += whole ? "from 1 to 2147483647: " : "a whole number: ";
  message += steps == result ? result : steps + " = " + result;
  Diagnostic d = diag(DiagKind::size_not_whole, message).at(cx.expr(formula).span);
  note_origins(cx, d, formula);
  if (const auto* b = std::get_if<ast::Binary>(&cx.expr(formula).node);
      b && b->op == ast::BinaryOp::divide && !whole) {
    const Val over = eval(cx, b->left), under = eval(cx, b->right);
    const auto n = over.number() ? over.number()->as_integer() : std::nullopt;
    const auto k = under.number() ? under.number()->as_integer() : std::nullopt;
    const bool written = std::holds_alternative<ast::Number>(cx.expr(b->right).node);
    if (n && k && *k > 0 && *n > 0 && written && *n > *k)
      d.helps.push_back(quoted_source(cx, cx.expr(b->left).span) + " must be a multiple of " +
                        std::to_string(*k) + ", such as " + std::to_string(*n / *k * *k) + " or " +
                        std::to_string((*n / *k + 1) * *k));
    else if (n && k && *k > 0 && *n > 0)
      d.helps.push_back("divisors of " + std::to_string(*n) + " near " + std::to_string(*k) + ": " +
                        divisors_near(*n, *k));
  }
  report(cx, std::move(d));
}

/// The dimensions that a name has in a scope; null if it is another name.
const Dims* dims_called(const Scope& home, const std::string& name) {
  for (const Scope* scope = &home; scope; scope = scope->parent)
    if (const auto found = scope->names.find(name); found != scope->names.end())
      return found->second.kind == Binding::Kind::dim ? &found->second.dims : nullptr;
  return nullptr;
}

/// A formula in the names of dimensions, which those of a block's lists stand for: "3 * a" of
/// `over a` is "3 * d" where the call says `over d`.
std::string in_dimensions(Context& cx, const Scope& home, ast::ExprId formula) {
  const ast::File& file = home.module->file;
  Span rest = file.at(formula).span;
  std::string text;
  for (const ast::Name& name : names_in(file, formula)) {
    const Dims* dims = dims_called(home, name.text);
    if (!dims || dims->size() != 1) continue;
    text += cx.session.sources.text({rest.file, rest.begin, name.span.begin});
    text += cx.dims().name(dims->front());
    rest.begin = name.span.end;
  }
  return text += cx.session.sources.text(rest);
}

}  // namespace

void settle_dim(Context& cx, const std::string& name, Binding& binding, Scope& home, const Val& val,
                Span size_span, const Override* from) {
  binding.usable = false;
  if (val.poison()) return;
  const Number* number = val.number();
  const auto size = number ? number->as_integer() : std::nullopt;
  if (!size || *size < 1 || *size > largest_size) {
    const ast::ExprId formula = from ? from->value : binding.formula;
    bad_size(cx, name, val, cx.now, formula);
    return;
  }
  Dim dim;
  dim.formula = from ? std::string(cx.session.sources.text(size_span))
                     : in_dimensions(cx, home, binding.formula);
  if (from) dim.origin = "-D " + name + "=" + from->text;
  dim.declared = binding.declared;
  dim.size_span = size_span;
  binding.dims = {cx.session.dim(home.dim_path, name, *size, std::move(dim))};
  binding.usable = true;
  if (home.frame) home.frame->local_dims.insert(binding.dims[0]);
}

}  // namespace mtfc::elab
