// Calls: which block or built-in operation is meant, and its arguments and lists.
#include "frontend/elaborate/builtins.h"
#include "frontend/elaborate/elaborator.h"

namespace mtfc::elab {

namespace {
bool is_digits(const std::string& text) {
  return text.find_first_not_of("0123456789") == text.npos;
}
}  // namespace

const Operand* CallSite::find(const std::string& name) const {
  for (const auto& [key, operand] : named)
    if (key == name) return &operand;
  return nullptr;
}

Val Elaborator::call(const ast::Call& call, Span span) {
  bool failed = false;
  if (const auto block = find_block(call, failed)) return call_block(*block, call, span);
  if (failed) return {};
  const std::string& name = call.callee.text;
  if (name == "index") return call_index(call, span);
  if (const Builtin* row = find_builtin(name)) return call_builtin(*row, call, span);
  unknown_callable(call);
  return {};
}

void Elaborator::unknown_callable(const ast::Call& call) {
  const ast::Name& name = call.callee;
  if (now_.scope->module->incomplete) return;  // it may be in the file that was not read
  if (is_draw(name.text)) {
    report(diag(DiagKind::misplaced, "`" + name.text + "` is not an operation")
               .at(name.span, "a draw")
               .help("draw on a line of its own: `u[dims] ~ " + name.text + "(...)`"));
    return;
  }
  Diagnostic d = diag(DiagKind::unknown_name, "no block or operation is named `" + name.text + "`")
                     .at(name.span, "not defined");
  std::vector<std::string> candidates = builtin_names();
  for (const Scope* s = now_.scope; s; s = s->parent)
    for (const auto& [instance, unused] : s->instances) candidates.push_back(instance);
  const Module* module = now_.scope->module;
  for (const auto& [block, unused] : module->blocks) candidates.push_back(block);
  for (const Module* used : module->uses)
    for (const auto& [block, unused] : used->blocks) candidates.push_back(block);
  suggest(d, name, candidates);
  if (d.helps.empty() && module->uses.empty())
    for (const LibraryFile& file : shipped_library())
      if (file.text.find("block " + name.text + "(") != std::string_view::npos)
        d.helps.push_back("the library has it: `use \"" + std::string(file.name) + "\"`");
  report(std::move(d));
  for (const ast::Argument& argument : call.args) eval(argument.value);  // for their own mistakes
}

/// Evaluates positional and named arguments in the order of the text. False if any is poison.
bool Elaborator::evaluate_arguments(CallSite& site) {
  bool fine = true;
  for (const ast::Argument& argument : site.call->args) {
    if (!argument.name) {
      site.args.push_back(operand(argument.value));
      fine = fine && !site.args.back().val.poison();
      if (site.named.empty()) continue;
      report(diag(DiagKind::wrong_arguments, "a positional argument after a named one")
                 .at(site.args.back().span)
                 .help("positional arguments come first"));
      fine = false;
      continue;
    }
    if (site.find(argument.name->text)) {
      report(
          diag(DiagKind::wrong_arguments, "argument `" + argument.name->text + "` is given twice")
              .at(argument.name->span));
      fine = false;
    }
    site.named.emplace_back(argument.name->text, operand(argument.value));
    fine = fine && !site.named.back().second.val.poison();
  }
  return fine;
}

bool Elaborator::evaluate_lists(CallSite& site) {
  bool fine = true;
  if (site.call->over) {
    site.over = dim_list(*site.call->over, site.args);
    fine = site.over.has_value();
  }
  if (site.call->to) {
    site.to = dim_list(*site.call->to, site.args);
    fine = fine && site.to;
  }
  return fine;
}

/// The number of arguments, their names, and which lists there are.
bool Elaborator::check_form(const Builtin& row, const CallSite& site) {
  const std::string name = "`" + std::string(row.name) + "`";
  const int count = static_cast<int>(site.args.size());
  const Span callee = site.call->callee.span;
  if (count < row.min_args || (row.max_args >= 0 && count > row.max_args)) {
    const std::string wanted = std::to_string(row.min_args) + (row.max_args < 0 ? " or more" : "");
    report(diag(DiagKind::wrong_arguments, name + " takes " + wanted + " argument" +
                                               (wanted == "1" ? "" : "s") + ", not " +
                                               std::to_string(count))
               .at(callee));
    return false;
  }
  for (const ast::Argument& argument : site.call->args) {
    if (!argument.name) continue;
    bool known = false;
    std::vector<std::string> candidates;
    for (std::string_view n : row.named) {
      known = known || n == argument.name->text;
      candidates.emplace_back(n);
    }
    if (known) continue;
    Diagnostic d =
        diag(DiagKind::wrong_arguments, name + " has no argument `" + argument.name->text + "`")
            .at(argument.name->span);
    suggest(d, *argument.name, candidates);
    report(std::move(d));
    return false;
  }
  const struct {
    ListUse use;
    bool given;
    const char* word;
  } lists[] = {{row.over, site.call->over.has_value(), "over"},
               {row.to, site.call->to.has_value(), "->"}};
  for (const auto& list : lists) {
    const bool wrong = list.given ? list.use == ListUse::none : list.use == ListUse::required;
    if (!wrong) continue;
    const std::string word = list.word;
    report(diag(DiagKind::wrong_list, list.given ? name + " takes no `" + word + "` list"
                                                 : name + " needs a list `" + word + " dims`")
               .at(callee));
    return false;
  }
  return true;
}

Val Elaborator::call_builtin(const Builtin& row, const ast::Call& call, Span span) {
  CallSite site{&call, span, {}, {}, {}, {}};
  if (call.instance) {
    report(
        diag(DiagKind::wrong_arguments, "`" + call.callee.text + "` is an operation, not a block")
            .at(call.instance->span, "it owns nothing that could be named")
            .help("remove `@" + call.instance->text + "`"));
    return {};
  }
  bool fine = evaluate_arguments(site);
  fine = evaluate_lists(site) && fine;
  fine = check_form(row, site) && fine;
  if (!fine) return {};
  const Val result = (this->*row.handler)(site);
  return result.tensor() ? tensor(*result.tensor(), span) : result;
}

std::optional<double> Elaborator::number_argument(const CallSite& site, const std::string& name,
                                                  double otherwise) {
  const Operand* given = site.find(name);
  if (!given) return otherwise;
  if (const Number* number = given->val.number()) return number->value();
  not_static(given->val, given->span, "`" + name + "`");
  return std::nullopt;
}

/// All of `dims` must be dimensions of the operand; `list` is where they were written.
bool Elaborator::require_dims(const Operand& operand, const Dims& dims, const ast::DimList& list,
                              const std::string& to_do) {
  bool fine = true;
  const Dims have = dims_of(operand.val);
  for (DimId dim : dims) {
    if (contains(have, dim)) continue;
    fine = false;
    Span where = list.span;
    const std::string& name = session_.model.dims[dim].name;
    for (const ast::DimItem& item : list.items)
      if (item.name.text == name) where = item.span;
    const std::string what = operand.span.valid() ? code(operand.span) : "the product";
    Diagnostic d =
        diag(DiagKind::missing_dimension, what + " has no dimension `" + name + "` to " + to_do)
            .at(where, "needed here");
    const std::string text(operand.span.valid() ? session_.sources.text(operand.span) : "");
    const Binding* bound = text.empty() ? nullptr : find(text, operand.span);
    if (bound && bound->declared.valid())
      d.labels.push_back({bound->declared, what + " is " + show(have), false});
    else
      d.notes.push_back(what + " is " + show(have));
    note_equal_sizes(d, operand, dim);
    report(std::move(d));
  }
  return fine;
}

/// A forgotten rename: the operand has a dimension of the same size as the missing one.
void Elaborator::note_equal_sizes(Diagnostic& d, const Operand& operand, DimId missing) {
  const Dim& wanted = session_.model.dims[missing];
  Dims declared_equal, same_size;
  for (DimId dim : dims_of(operand.val)) {
    const Dim& have = session_.model.dims[dim];
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
    const Dim& have = session_.model.dims[dim];
    d.notes.push_back(
        "`" + wanted.name + "` " +
        (declared_equal.empty() ? "has the size of `" : "is declared equal in size to `") +
        have.name + "`" + (wanted.declared.valid() ? " (" + place(wanted.declared) + ")" : "") +
        ", but nothing renames to it");
    d.helps.push_back("give one side its own name before the product: `m = x[" + have.name +
                      " -> " + wanted.name + "]`");
  }
}

/// The dimensions that `over` or `->` take away; all of them if there is neither list.
std::optional<Dims> Elaborator::reduced_dims(const CallSite& site, const Dims& all) {
  if (!site.over && !site.to) return all;
  const Operand& x = site.args[0];
  if (site.over &&
      !require_dims(x, *site.over, *site.call->over, "take `" + site.call->callee.text + "` over"))
    return std::nullopt;
  const auto rest = remaining(site, all);
  return rest ? std::optional(without(all, *rest)) : std::nullopt;
}

/// What remains, in storage order: the `->` list, or all that `over` leaves.
std::optional<Dims> Elaborator::remaining(const CallSite& site, const Dims& all) {
  if (!site.to) return site.over ? without(all, *site.over) : Dims{};
  for (DimId dim : *site.to) {
    if (contains(all, dim)) continue;
    const std::string& name = session_.model.dims[dim].name;
    report(diag(DiagKind::missing_dimension, "`" + name + "` is in no operand, so it cannot remain")
               .at(site.call->to->span, "the operands have " + show(all))
               .help("to repeat a result along `" + name + "` write `broadcast(... -> " +
                     names(*site.to) + ")`"));
    return std::nullopt;
  }
  if (site.over && !same_set(without(all, *site.over), *site.to)) {
    report(diag(DiagKind::wrong_list, "`over` and `->` do not agree")
               .at(site.call->to->span, "remain: " + names(*site.to))
               .also(site.call->over->span, "leaves: " + names(without(all, *site.over)))
               .help("write one of the two lists"));
    return std::nullopt;
  }
  return site.to;
}

}  // namespace mtfc::elab
