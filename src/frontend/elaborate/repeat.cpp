// `repeat`: a body elaborated once for each iteration, in a scope of its own.
#include "frontend/elaborate/blocks.h"
#include "frontend/elaborate/expressions.h"
#include "frontend/elaborate/names.h"
#include "frontend/elaborate/note_symbols.h"
#include "frontend/elaborate/report.h"
#include "frontend/elaborate/statements.h"
#include "frontend/elaborate/values.h"

namespace mtfc::elab {

namespace {

constexpr std::int64_t max_iterations = 10'000;

/// The label, or the dimension's name when the count is one.
std::optional<std::string> repeat_label(Context& cx, const ast::Repeat& repeat, Span keyword) {
  if (repeat.label) return repeat.label->text;
  const auto* ref = std::get_if<ast::NameRef>(&cx.expr(repeat.count).node);
  if (ref) {
    const Binding* binding = find_binding(cx, ref->name.text, ref->name.span);
    if (binding && binding->kind == Binding::Kind::dim) return ref->name.text;
  }
  report(cx, diag(DiagKind::label_needed, "the iterations of this `repeat` have no name")
                 .at(cx.expr(repeat.count).span, "not the name of a dimension")
                 .also(keyword, "repeated")
                 .note("parameters in it are named by the iteration: `layers.0.w`, `layers.1.w`")
                 .help("write `repeat@layers ...`"));
  return std::nullopt;
}

/// A sum that is f32 because 16 bits were too few for it becomes what the name was before.
void yield_to(Context& cx, const Val& before, Val& now, Span span) {
  const ValueId *was = before.tensor(), *is = now.tensor();
  if (!was || !is || !yields(cx, *is)) return;
  const DType dtype = cx.build.type(*was).dtype;
  if (is_half(dtype)) now = {build_at(cx, span).cast(*is, dtype)};
}

/// Of one type from iteration to iteration; or half from the first one on, where nobody asked for
/// the f32 before (a state, a sample, a number).
bool keeps_type(Context& cx, ValueId before, ValueId now) {
  const DType was = cx.build.type(before).dtype, is = cx.build.type(now).dtype;
  return was == is || (is_half(is) && yields(cx, before));
}

/// Names from before that the iteration assigned keep their dimensions and type.
void check_carried(Context& cx, const Scope& iteration) {
  for (const Scope::Carried& c : iteration.carried) {
    Binding& now = c.owner->names[c.name];
    if (now.val.poison() || c.before.poison()) continue;
    yield_to(cx, c.before, now.val, c.assigned);
    const ValueId *was = c.before.tensor(), *is = now.val.tensor();
    const bool kept = was && is ? keeps_type(cx, *was, *is) &&
                                      same_set(dims_of(cx, c.before), dims_of(cx, now.val))
                                : !was && !is && c.before.v.index() == now.val.v.index();
    if (kept) continue;
    Diagnostic d = diag(DiagKind::carried_changes,
                        "`" + c.name + "` is carried from iteration to iteration and changes")
                       .at(c.assigned, show(cx, now.val) + " at the end of the iteration");
    d.notes.push_back("before the iteration it is " + show(cx, c.before));
    if (!was && is)
      d.helps.push_back("declare it: `" + c.name + "[" + dim_names(cx, dims_of(cx, now.val)) +
                        "] = ...`");
    if (was && is && same_set(dims_of(cx, c.before), dims_of(cx, now.val)))
      d.helps.push_back("give it that type before: `" + c.name + ": " +
                        std::string(name(cx.build.type(*is).dtype)) + " = ...`");
    report(cx, std::move(d));
    now.val = {};
  }
}

void exec_iteration(Context& cx, const ast::Repeat& repeat, std::int64_t iteration, Scope& scope) {
  scope.parent = cx.now.scope;
  scope.frame = cx.now.scope->frame;
  scope.module = cx.now.scope->module;
  if (repeat.counter) {
    Binding counter;
    counter.kind = Binding::Kind::counter;
    counter.declared = repeat.counter->span;
    counter.val = {Number::whole(iteration)};
    note_binding(cx, repeat.counter->text, counter, joined(scope.path, repeat.counter->text));
    scope.names[repeat.counter->text] = counter;
  }
  Cursor inside = cx.now;
  inside.scope = &scope;
  At body(cx, inside);
  announce_dims(cx, repeat.body, scope);
  exec(cx, repeat.body);
  if (!cx.now.scope->frame->done) check_carried(cx, scope);
}

/// Absent: reported.
std::optional<std::int64_t> iterations_of(Context& cx, const ast::Repeat& repeat) {
  const auto count = static_number(cx, repeat.count, "the count of `repeat`");
  if (!count) return std::nullopt;
  const Span span = cx.expr(repeat.count).span;
  const auto iterations = count->as_integer();
  if (!iterations || *iterations < 0) {
    report(cx,
           diag(DiagKind::out_of_range, "`repeat` cannot have " + to_string(*count) + " iterations")
               .at(span, "a whole number from 0 on is needed"));
    return std::nullopt;
  }
  if (*iterations > max_iterations) {
    report(cx,
           diag(DiagKind::program_too_large,
                "`repeat` with " + to_string(*count) + " iterations is too long")
               .at(span, "at most " + std::to_string(max_iterations))
               .note("`repeat` is unrolled: every iteration is a copy of its body in the program"));
    return std::nullopt;
  }
  return *iterations;
}

}  // namespace

void exec_repeat(Context& cx, const ast::Repeat& repeat, Span keyword, Span statement) {
  const std::optional<std::int64_t> iterations = iterations_of(cx, repeat);
  if (!iterations) return;
  const Span span = cx.expr(repeat.count).span;
  const auto label = repeat_label(cx, repeat, keyword);
  if (!label) return;
  Scope whole;  // the segment of the label, around all iterations
  reserve(cx, whole, *label, repeat.label ? repeat.label->span : span, true);
  if (repeat.label) note_name(cx, Symbol::Kind::label, *repeat.label, whole.owner_path);
  int failed = 0;  // iterations with mistakes
  for (std::int64_t iteration = 0; iteration < *iterations; ++iteration) {
    const std::int64_t mistakes = cx.mistakes;
    constexpr int cost = 5;
    if (too_much(cx, span, cost) || cx.now.scope->frame->done) return;
    Scope scope;
    scope.path = joined(whole.path, std::to_string(iteration));
    scope.owner_path = joined(whole.owner_path, std::to_string(iteration));
    scope.dim_path = joined(whole.dim_path, std::to_string(iteration));
    scope.repeated = whole.repeated;
    scope.first = whole.first;
    scope.here = whole.here;
    scope.label = *label;
    scope.iteration = true;
    exec_iteration(cx, repeat, iteration, scope);
    // What is wrong in two iterations is mostly wrong in all; else the rest is found next time.
    failed += cx.mistakes > mistakes;
    const bool last = iteration + 1 == *iterations || failed == 2;
    if (!last) continue;
    for (const auto& [name, binding] : scope.names)
      if (binding.declared.file == statement.file)
        cx.now.scope->ended[name] = {binding.declared,
                                     {statement.file, statement.end - 1, statement.end}};
    return;
  }
}

}  // namespace mtfc::elab
