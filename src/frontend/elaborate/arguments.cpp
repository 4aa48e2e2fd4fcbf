#include "frontend/elaborate/arguments.h"

#include <algorithm>

#include "frontend/elaborate/dim_lists.h"
#include "frontend/elaborate/expressions.h"
#include "frontend/elaborate/names.h"
#include "frontend/elaborate/report.h"
#include "frontend/elaborate/values.h"

namespace mtfc::elab {

namespace {

bool is_digits(const std::string& text) {
  return text.find_first_not_of("0123456789") == text.npos;
}

}  // namespace

bool check_single(Context& cx, const CallSite& site) {
  const std::string name = "`" + site.call->callee.text + "`";
  const auto several = [&](const std::string& what, const Dims& dims, Span list) {
    report(cx, diag(DiagKind::wrong_list,
                    name + what + " one dimension, not " + std::to_string(dims.size()))
                   .at(list)
                   .help("merge dimensions first: `x[(a, b) -> c]`"));
    return false;
  };
  if (site.over && site.over->size() != 1)
    return several(" takes", *site.over, site.call->over->span);
  if (site.to && site.to->size() != 1) return several(" makes", *site.to, site.call->to->span);
  return true;
}

bool check_fresh(Context& cx, const CallSite& site, const Dims& have) {
  if (!site.to || !contains(site.over ? without(have, *site.over) : have, (*site.to)[0]))
    return true;
  const Operand& x = site.args[0];
  report(cx, diag(DiagKind::repeated_dimension,
                  "`" + site.call->callee.text + "` would give " + quoted_source(cx, x.span) +
                      " a second dimension `" + dim_names(cx, *site.to) + "`")
                 .at(site.call->to->span)
                 .note(is_dims(cx, x)));
  return false;
}

std::optional<ValueId> along_one(Context& cx, const CallSite& site) {
  const Operand& o = site.args[0];
  if (!check_single(cx, site)) return std::nullopt;
  const auto x = as_tensor(cx, o);
  const std::string to_do = "take `" + site.call->callee.text + "` over";
  if (!x || !require_dims(cx, o, *site.over, *site.call->over, to_do)) return std::nullopt;
  if (!check_fresh(cx, site, cx.build.type(*x).dims)) return std::nullopt;
  return x;
}

std::optional<bool> flag_argument(Context& cx, const CallSite& site, const std::string& name) {
  const Operand* given = site.find(name);
  if (!given) return false;
  if (const bool* flag = given->val.boolean()) return *flag;
  report(cx, diag(DiagKind::type_mismatch, "`" + name + "` is true or false, known before the run")
                 .at(given->span, show(cx, given->val)));
  return std::nullopt;
}

std::optional<std::int64_t> whole_argument(Context& cx, const Operand& operand,
                                           const std::string& what) {
  const Number* number = operand.val.number();
  if (!number) {
    not_static(cx, operand.val, operand.span, what);
    return std::nullopt;
  }
  const auto whole = number->as_integer();
  if (whole && *whole >= -2147483647 && *whole <= 2147483647) return whole;
  report(cx, diag(DiagKind::out_of_range,
                  what + " must be whole and fit 32 bits, not " + to_string(*number))
                 .at(operand.span));
  return std::nullopt;
}

/// `where(x = 0, x, 1)` was to compare.
static Diagnostic positional_after_named(Context& cx, const CallSite& site) {
  for (const ast::Argument& argument : site.call->args) {
    if (!argument.name || argument.name->span.begin > site.args.back().span.begin) continue;
    const std::vector<std::string> tensors = visible_names(cx, false);
    if (std::find(tensors.begin(), tensors.end(), argument.name->text) == tensors.end()) continue;
    return diag(DiagKind::wrong_arguments,
                "`" + argument.name->text + " =` names an argument, and is not the last one")
        .at(argument.name->span, "a tensor is called so too")
        .help("to compare, write `" + argument.name->text + " == ...`");
  }
  return diag(DiagKind::wrong_arguments, "a positional argument after a named one")
      .at(site.args.back().span)
      .help("positional arguments come first");
}

bool evaluate_arguments(Context& cx, CallSite& site) {
  bool fine = true;
  for (const ast::Argument& argument : site.call->args) {
    if (!argument.name) {
      site.args.push_back(eval_operand(cx, argument.value));
      fine = fine && !site.args.back().val.poison();
      if (site.named.empty()) continue;
      if (fine) report(cx, positional_after_named(cx, site));
      fine = false;
      continue;
    }
    if (site.find(argument.name->text)) {
      report(cx, diag(DiagKind::wrong_arguments,
                      "argument `" + argument.name->text + "` is given twice")
                     .at(argument.name->span));
      fine = false;
    }
    site.named.emplace_back(argument.name->text, eval_operand(cx, argument.value));
    fine = fine && !site.named.back().second.val.poison();
  }
  return fine;
}

bool evaluate_lists(Context& cx, CallSite& site) {
  bool fine = true;
  if (site.call->over) {
    site.over = dim_list(cx, *site.call->over, site.args);
    fine = site.over.has_value();
  }
  if (site.call->to) {
    site.to = dim_list(cx, *site.call->to, site.args);
    fine = fine && site.to;
  }
  return fine;
}

std::optional<double> number_argument(Context& cx, const CallSite& site, const std::string& name,
                                      double otherwise) {
  const Operand* given = site.find(name);
  if (!given) return otherwise;
  if (const Number* number = given->val.number()) return number->value();
  not_static(cx, given->val, given->span, "`" + name + "`");
  return std::nullopt;
}

bool require_dims(Context& cx, const Operand& operand, const Dims& dims, const ast::DimList& list,
                  const std::string& to_do) {
  bool fine = true;
  const Dims have = dims_of(cx, operand.val);
  for (DimId dim : dims) {
    if (contains(have, dim)) continue;
    fine = false;
    Span where = list.span;
    const std::string& name = cx.dims()[dim].name;
    for (const ast::DimItem& item : list.items)
      if (item.name.text == name) where = item.span;
    const std::string what = operand.span.valid() ? quoted_source(cx, operand.span) : "the product";
    Diagnostic d =
        diag(DiagKind::missing_dimension, what + " has no dimension `" + name + "` to " + to_do)
            .at(where, "needed here");
    const std::string text(operand.span.valid() ? cx.session.sources.text(operand.span) : "");
    const Binding* bound = text.empty() ? nullptr : find_binding(cx, text, operand.span);
    if (bound && bound->declared.valid())
      d.labels.push_back({bound->declared, what + " is " + show(cx, have), false});
    else
      d.notes.push_back(what + " is " + show(cx, have));
    note_equal_sizes(cx, d, operand, dim);
    report(cx, std::move(d));
  }
  return fine;
}

namespace {

/// An operand as it must be written for a rename to be of all of it; `x` if it is long.
std::string renamable(const Context& cx, Span span) {
  const std::string quoted = quoted_source(cx, span);
  if (quoted.front() != '`') return "x";
  const std::string text = quoted.substr(1, quoted.size() - 2);
  int depth = 0;
  for (const char c : text) {
    if (c == ')' || c == ']') --depth;
    if (depth == 0 && std::string_view(" +-*/@=<>&|~").find(c) != std::string_view::npos)
      return "(" + text + ")";
    if (c == '(' || c == '[') ++depth;
  }
  return text;
}

}  // namespace

void note_equal_sizes(Context& cx, Diagnostic& d, const Operand& operand, DimId missing) {
  const Dim& wanted = cx.dims()[missing];
  Dims declared_equal, same_size;
  for (DimId dim : dims_of(cx, operand.val)) {
    const Dim& have = cx.dims()[dim];
    if (have.size != wanted.size) continue;
    same_size.push_back(dim);
    const bool formula =
        !wanted.formula.empty() && wanted.formula == have.formula && !is_digits(wanted.formula);
    if (wanted.formula == have.name || have.formula == wanted.name || formula)
      declared_equal.push_back(dim);
  }
  // Of several that happen to have the size none is meant more than another.
  if (declared_equal.empty() && same_size.size() != 1) return;
  for (DimId dim : declared_equal.empty() ? same_size : declared_equal) {
    const Dim& have = cx.dims()[dim];
    d.notes.push_back(
        "`" + wanted.name + "` " +
        (declared_equal.empty() ? "has the size of `" : "is declared equal in size to `") +
        have.name + "`" +
        (wanted.declared.valid() ? " (" + file_and_line(cx, wanted.declared) + ")" : "") +
        ", but nothing renames to it");
    d.helps.push_back("rename it before that: `" + renamable(cx, operand.span) + "[" + have.name +
                      " -> " + wanted.name + "]`");
  }
}

std::optional<Dims> reduced_dims(Context& cx, const CallSite& site, const Dims& all) {
  if (!site.over && !site.to) return all;
  const Operand& x = site.args[0];
  if (site.over && !require_dims(cx, x, *site.over, *site.call->over,
                                 "take `" + site.call->callee.text + "` over"))
    return std::nullopt;
  const auto rest = remaining(cx, site, all);
  return rest ? std::optional(without(all, *rest)) : std::nullopt;
}

std::optional<Dims> remaining(Context& cx, const CallSite& site, const Dims& all) {
  if (!site.to) return site.over ? without(all, *site.over) : Dims{};
  for (DimId dim : *site.to) {
    if (contains(all, dim)) continue;
    const std::string& name = cx.dims()[dim].name;
    report(cx,
           diag(DiagKind::missing_dimension, "`" + name + "` is in no operand, so it cannot remain")
               .at(site.call->to->span, "the operands have " + show(cx, all))
               .help("to repeat a result along `" + name + "` write `broadcast(... -> " +
                     dim_names(cx, *site.to) + ")`"));
    return std::nullopt;
  }
  if (site.over && !same_set(without(all, *site.over), *site.to)) {
    report(cx,
           diag(DiagKind::wrong_list, "`over` and `->` do not agree")
               .at(site.call->to->span, "remain: " + dim_names(cx, *site.to))
               .also(site.call->over->span, "leaves: " + dim_names(cx, without(all, *site.over)))
               .help("write one of the two lists"));
    return std::nullopt;
  }
  return site.to;
}

}  // namespace mtfc::elab
