// `loss` and `metric`.
#include "frontend/elaborate/expressions.h"
#include "frontend/elaborate/note_symbols.h"
#include "frontend/elaborate/report.h"
#include "frontend/elaborate/statements.h"
#include "frontend/elaborate/values.h"

namespace mtfc::elab {

namespace {

/// By two statements, by two calls of one instance, or by two instances of one name.
void loss_registered_twice(Context& cx, const std::string& path, const std::string& word,
                           Span here) {
  const Registered& first = cx.outputs.at(path);
  if (!(first.here == here)) {
    report(cx, diag(DiagKind::path_used_twice, "two losses or metrics are named `" + path + "`")
                   .at(here, "second")
                   .also(first.here, "first")
                   .help("name them: `" + word + " name = ...`"));
    return;
  }
  // The call that makes the difference: where the chains of calls part, from outside.
  std::vector<const Frame*> chain;
  for (const Frame* f = cx.now.scope->frame; f && f->block; f = f->caller) chain.push_back(f);
  std::size_t at = 0;
  bool parted = false;
  for (std::size_t i = 0; i < chain.size() && i < first.calls.size(); ++i) {
    const bool differs = !(chain[i]->call == first.calls[i]);
    if (differs || (!parted && is_repetition(chain[i]->uses))) at = i;
    parted = parted || differs;
  }
  if (!chain.empty()) {
    const Span call = chain[at]->call;
    if (!cx.session.reported_owners.insert({call.begin, call.end}).second) return;
  }
  Diagnostic d = diag(DiagKind::path_used_twice, "");
  if (chain.empty()) {
    d.message = "two losses or metrics are named `" + path + "`";
    d.at(here);
  } else if (is_repetition(chain[at]->uses)) {
    d.message = "the " + word + " `" + path + "` is registered twice by one instance";
    d.at(chain[at]->call, "the second call of the instance");
    d.help("return the value, and write the " + word + " once, outside the block: `" + word +
           " name = ...`");
    d.help("or make two instances; they have parameters of their own");
  } else {
    const std::string block = chain[at]->block->name.text;
    d.message = "two instances of `" + block + "` would both own the " + word + " `" + path + "`";
    d.at(chain[at]->call, "second");
    d.help("name them: `" + block + "@a(...)`, `" + block + "@b(...)`");
  }
  if (at < first.calls.size() && !chain.empty() && !(first.calls[at] == chain[at]->call))
    d.also(first.calls[at], "the first");
  if (!chain.empty()) d.also(here, "the " + word);
  // The place is the caller's, so it needs no note about the instance.
  if (!cx.stopped) cx.session.diagnostics.report(std::move(d));
}

}  // namespace

void exec_output(Context& cx, const ast::Name* name, ast::ExprId value, bool loss, Span keyword) {
  if (!loss && cx.training) return;  // metrics are computed at evaluations only
  const std::string word = loss ? "loss" : "metric";
  const Operand result = eval_operand(cx, value);
  const std::string path = joined(cx.now.scope->owner_path, name ? name->text : "loss");
  const Span here = name ? name->span : keyword;
  if (name) note_name(cx, Symbol::Kind::output, *name, path);
  Registered registered{here, {}};
  for (const Frame* f = cx.now.scope->frame; f && f->block; f = f->caller)
    registered.calls.push_back(f->call);
  if (!cx.outputs.try_emplace(path, registered).second) {
    loss_registered_twice(cx, path, word, here);
    return;
  }
  if (result.val.poison()) return;
  if (!dims_of(cx, result.val).empty()) {
    report(cx, diag(DiagKind::not_scalar,
                    "a " + word + " must be one number, and this one has dimensions")
                   .at(result.span, show(cx, result.val))
                   .help("take `mean(...)` or `sum(...)` of it"));
    return;
  }
  auto id = as_float(cx, result, "a " + word);
  if (!id) return;
  if (mixed_precision(cx)) id = build_at(cx, result.span).cast(*id, DType::f32);
  cx.graph.outputs.push_back({loss ? Output::Kind::loss : Output::Kind::metric, path, *id});
}

}  // namespace mtfc::elab
