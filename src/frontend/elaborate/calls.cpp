// Calls: which block or built-in operation is meant, and its form.
#include <algorithm>

#include "frontend/elaborate/blocks.h"
#include "frontend/elaborate/builtins.h"
#include "frontend/elaborate/dim_lists.h"
#include "frontend/elaborate/elaborate.h"
#include "frontend/elaborate/expressions.h"
#include "frontend/elaborate/foreign_names.h"
#include "frontend/elaborate/names.h"
#include "frontend/elaborate/report.h"
#include "frontend/elaborate/sample_spec.h"
#include "frontend/elaborate/values.h"
#include "messages/propose.h"
#include "optim/optimizers.h"
#include "support/did_you_mean.h"
#include "support/text.h"

namespace mtfc::elab {

namespace {

/// Where an argument is too many, and what a list of dimensions among the arguments should be.
void explain_count(Context& cx, const Builtin& row, const CallSite& site, Diagnostic& d) {
  const auto most = static_cast<std::size_t>(std::max(row.form.max_operands, 0));
  if (site.args.size() <= most || row.form.max_operands < 0) {
    d.at(site.call->callee.span, "one is missing");
    if (row.name == "where") d.help("write `where(condition, a, b)`");
    return;
  }
  d.at(site.args[most].span, "one too many");
  const std::string extra(cx.session.sources.text(site.args[most].span));
  const std::vector<std::string> dims = visible_names(cx, true);
  const bool dimension = std::find(dims.begin(), dims.end(), extra) != dims.end();
  if (!dimension || row.form.over == CallForm::List::none) return;
  const std::string begin = "`" + std::string(row.name) + "(... over ";
  if (site.call->over && !site.call->to && row.form.to == CallForm::List::required)
    d.help("what it makes follows `->`: " + begin +
           std::string(cx.session.sources.text(site.call->over->span)) + " -> " + extra + ")`");
  else
    d.help("dimensions follow `over`: " + begin + extra + ")`");
}

/// A call as it is written, with one list more.
std::string with_list(const Context& cx, const CallSite& site, const std::string& word,
                      const std::string& list) {
  std::string text(cx.session.sources.text(site.span));
  constexpr std::size_t longest = 60;
  if (text.size() > longest || !text.ends_with(")")) text = site.call->callee.text + "(...)";
  text.pop_back();
  return text + " " + word + " " + list + ")";
}

bool check_count(Context& cx, const Builtin& row, const CallSite& site) {
  const int least = row.form.min_operands, most = row.form.max_operands,
            count = static_cast<int>(site.args.size());
  if (count >= least && (most < 0 || count <= most)) return true;
  const std::string wanted = std::to_string(least) + (most < 0 ? " or more" : "");
  Diagnostic d = diag(DiagKind::wrong_arguments, "`" + std::string(row.name) + "` takes " + wanted +
                                                     " argument" + (wanted == "1" ? "" : "s") +
                                                     ", not " + std::to_string(count));
  explain_count(cx, row, site, d);
  report(cx, std::move(d));
  return false;
}

void unknown_argument(Context& cx, const Builtin& row, const ast::Name& name) {
  const std::string& word = name.text;
  const std::vector<std::string> candidates = names_of(row.form.arguments);
  Diagnostic d = diag(DiagKind::wrong_arguments,
                      "`" + std::string(row.name) + "` has no argument `" + word + "`")
                     .at(name.span);
  if (word == "dim" || word == "dims" || word == "axis" || word == "axes")
    d.help("dimensions follow `over`, by their names: `" + std::string(row.name) + "(... over d)`");
  else
    suggest(d, name, candidates);
  if (d.helps.empty() && !candidates.empty())
    d.help("what it takes by name: " + mtfc::joined(candidates, ", "));
  report(cx, std::move(d));
}

bool check_names(Context& cx, const Builtin& row, const CallSite& site) {
  const auto is_known = [&](const ast::Name& name) {
    return std::any_of(row.form.arguments.begin(), row.form.arguments.end(),
                       [&](const CallForm::Argument& known) { return known.name == name.text; });
  };
  for (const ast::Argument& argument : site.call->args) {
    if (!argument.name || is_known(*argument.name)) continue;
    unknown_argument(cx, row, *argument.name);
    return false;
  }
  return true;
}

/// `over a, b` of a join, where each operand has one dimension of its own; of other operations the
/// dimensions of the first operand that the others lack, the last one where they lack several.
std::string dims_to_list(const Context& cx, const Builtin& row, const CallSite& site) {
  if (row.form.to == CallForm::List::required) {
    const auto own = dims_of_their_own(cx, site);
    return (own ? dim_names(cx, *own) : "a, b") + (site.call->to ? "" : " -> e");
  }
  const Dims have = dims_of(cx, site.args[0].val);
  Dims own = have;
  for (std::size_t i = 1; i < site.args.size(); ++i)
    own = without(own, dims_of(cx, site.args[i].val));
  return dim_names(cx, {own.empty() ? have.back() : own.back()});
}

/// What the list behind `over`, which is missing, may be.
void explain_over(const Context& cx, const Builtin& row, const CallSite& site, Diagnostic& d) {
  const std::string name(row.name);
  const Dims have = site.args.empty() ? Dims{} : dims_of(cx, site.args[0].val);
  if (have.empty()) return;
  const bool alike = std::all_of(site.args.begin(), site.args.end(), [&](const Operand& operand) {
    return !operand.val.tensor() || same_set(dims_of(cx, operand.val), have);
  });
  std::string list = dim_names(cx, {have.back()});
  if (alike) {
    d.note(is_dims(cx, site.args[0]));
  } else {
    for (const Operand& operand : site.args)
      if (operand.val.tensor()) d.note(is_dims(cx, operand));
    list = dims_to_list(cx, row, site);
  }
  d.help("for example `" +
         (site.call->to ? name + "(... over " + list + ")" : with_list(cx, site, "over", list)) +
         "`");
}

/// The list behind `word`, `over` or `->`.
bool check_list(Context& cx, const Builtin& row, const CallSite& site, const std::string& word,
                CallForm::List use, bool given) {
  if (use != (given ? CallForm::List::none : CallForm::List::required)) return true;
  const std::string name(row.name);
  Diagnostic d =
      diag(DiagKind::wrong_list, given ? "`" + name + "` takes no `" + word + "` list"
                                       : "`" + name + "` needs a list `" + word + " dims`")
          .at(site.call->callee.span);
  if (!given && word == "over") explain_over(cx, row, site, d);
  if (!given && word == "->" && site.call->over)
    d.help("it names what the result has in their place, a dimension of its own: `" + name +
           "(... over d -> e)`, with `dim e = ...`");
  report(cx, std::move(d));
  return false;
}

/// The number of arguments, their names, and which lists there are.
bool check_form(Context& cx, const Builtin& row, const CallSite& site) {
  return check_count(cx, row, site) && check_names(cx, row, site) &&
         check_list(cx, row, site, "over", row.form.over, site.call->over.has_value()) &&
         check_list(cx, row, site, "->", row.form.to, site.call->to.has_value());
}

Val call_builtin(Context& cx, const Builtin& row, const ast::Call& call, Span span) {
  CallSite site{&call, span, {}, {}, {}, {}};
  if (call.instance) {
    report(cx, diag(DiagKind::wrong_arguments,
                    "`" + call.callee.text + "` is an operation, not a block")
                   .at(call.instance->span, "it owns nothing that could be named")
                   .help("remove `@" + call.instance->text + "`"));
    return {};
  }
  bool fine = evaluate_arguments(cx, site);
  fine = evaluate_lists(cx, site) && fine;
  // Without the argument that is at fault the others cannot be counted.
  if (fine || site.named.empty()) fine = check_form(cx, row, site) && fine;
  if (!fine) return {};
  const Val result = row.handler(cx, site);
  return result.tensor() ? checked_tensor(cx, *result.tensor(), span) : result;
}

}  // namespace

const Operand* CallSite::find(const std::string& name) const {
  for (const auto& [key, operand] : named)
    if (key == name) return &operand;
  return nullptr;
}

Val eval_call(Context& cx, const ast::Call& call, Span span) {
  bool failed = false;
  if (const auto block = find_block(cx, call, failed)) return call_block(cx, *block, call, span);
  if (failed) return {};
  const std::string& name = call.callee.text;
  if (name == "index") return call_index(cx, call, span);
  if (const Builtin* row = find_builtin(name)) return call_builtin(cx, *row, call, span);
  unknown_callable(cx, call);
  return {};
}

void unknown_callable(Context& cx, const ast::Call& call) {
  const ast::Name& name = call.callee;
  if (cx.now.scope->module->incomplete) return;  // it may be in the file that was not read
  if (is_sample(name.text)) {
    report(cx, diag(DiagKind::misplaced, "`" + name.text + "` is not an operation")
                   .at(name.span, "a random sample")
                   .help("write it on a line of its own: `u[dims] ~ " + name.text + "(...)`"));
    return;
  }
  Diagnostic d = diag(DiagKind::unknown_name, "no block or operation is named `" + name.text + "`")
                     .at(name.span, "not defined");
  std::vector<std::string> candidates = builtin_names();
  for (const Scope* s = cx.now.scope; s; s = s->parent)
    for (const auto& [instance, unused] : s->instances) candidates.push_back(instance);
  const Module* module = cx.now.scope->module;
  for (const auto& [block, unused] : module->blocks) candidates.push_back(block);
  for (const Module* used : module->uses)
    for (const auto& [block, unused] : used->blocks) candidates.push_back(block);
  for (const LibraryFile& file : shipped_library())
    if (d.helps.empty() && file.text.find("block " + name.text + "(") != std::string_view::npos)
      d.helps.push_back("the library has it: `use \"" + std::string(file.name) + "\"`");
  const std::string advice = advice_on_operation(name.text);
  if (d.helps.empty() && !advice.empty()) d.helps.emplace_back(advice);
  if (d.helps.empty() && optim::find_optimizer(name.text))
    d.help("an optimizer is a setting: `train { optimizer = " + name.text + "(...) }`");
  // What another function computes is no repair, however alike they are called.
  if (d.helps.empty() && propose(d, name.span, name.text, candidates) && !d.fixes.empty() &&
      !is_slip(name.text, d.fixes.back().replacement))
    d.fixes.pop_back();
  report(cx, std::move(d));
  for (const ast::Argument& argument : call.args)
    eval(cx, argument.value);  // for their own mistakes
}

}  // namespace mtfc::elab
