#include "frontend/elaborate/blocks.h"

#include <algorithm>

#include "frontend/elaborate/builtins.h"
#include "frontend/elaborate/dim_lists.h"
#include "frontend/elaborate/expressions.h"
#include "frontend/elaborate/foreign_names.h"
#include "frontend/elaborate/names.h"
#include "frontend/elaborate/no_return.h"
#include "frontend/elaborate/note_symbols.h"
#include "frontend/elaborate/report.h"
#include "frontend/elaborate/statements.h"
#include "frontend/elaborate/values.h"
#include "support/program_names.h"

namespace mtfc::elab {

namespace {

SharedInstance* find_instance(Context& cx, const std::string& name) {
  for (Scope* scope = cx.now.scope; scope && scope->frame == cx.now.scope->frame;
       scope = scope->parent) {
    const auto it = scope->instances.find(name);
    if (it != scope->instances.end()) return &it->second;
  }
  return nullptr;
}

/// `nn.nothing(...)`, or `x.relu()` as in other languages.
/// `x.sum(io)` as it is written here.
std::string as_call(Context& cx, const ast::Call& call) {
  const std::string& name = call.callee.text;
  const std::string advice = advice_on_operation(name);
  if (!find_builtin(name) && !advice.empty()) return std::string(advice);
  const std::vector<std::string> dims = visible_names(cx, true);
  std::string over;
  bool only_dims = !call.args.empty();
  for (const ast::Argument& argument : call.args) {
    const std::string text(cx.session.sources.text(cx.expr(argument.value).span));
    only_dims = only_dims && std::find(dims.begin(), dims.end(), text) != dims.end();
    over += (over.empty() ? "" : ", ") + text;
  }
  return "write `" + name + "(" + call.module->text +
         (call.args.empty() ? ")`"
          : only_dims       ? " over " + over + ")`"
                            : ", ...)`");
}

void no_such_method(Context& cx, const ast::Call& call) {
  const ast::Name& module = *call.module;
  const std::string& name = call.callee.text;
  const Span span = join(module.span, call.callee.span);
  const Binding* value = find_binding(cx, module.text, module.span);
  if (!value) {
    if (cx.now.scope->module->incomplete) return;  // it may be in the file that was not read
    Diagnostic d = diag(DiagKind::unknown_name,
                        "no used file `" + module.text + "` has a block `" + name + "`")
                       .at(span);
    const std::string advice = advice_on_operation(name);
    if (find_builtin(name))
      d.help("`" + name + "` is an operation: write `" + name + "(...)`");
    else if (!advice.empty())
      d.helps.emplace_back(advice);
    report(cx, std::move(d));
    return;
  }
  report(cx,
         diag(DiagKind::unknown_name, "`" + module.text + "` is " +
                                          std::string(describe(value->kind)) + ", not a used file")
             .at(span, "there are no methods")
             .also(value->declared, "declared here")
             .help(as_call(cx, call)));
}

/// Path and place of a new instance; false if the block would contain itself.
bool open_frame(Context& cx, const BlockRef& ref, const ast::Call& call, Frame& frame,
                Scope& scope) {
  frame.block = ref.block;
  frame.call = call.callee.span;
  frame.title = call.callee.text + (call.instance ? "@" + call.instance->text : "");
  // The sizes and constants of a file belong to no instance.
  frame.caller = cx.now.scope->frame ? cx.now.scope->frame : &cx.file_frame;
  frame.uses = frame.caller->uses;
  frame.caller_scope = cx.now.scope;
  frame.root = &scope;
  frame.depth = frame.caller->depth + 1;
  scope.frame = &frame;
  scope.module = ref.module;
  scope.parent = &statics(cx, *ref.module);
  for (const Frame* f = frame.caller; f; f = f->caller) {
    if (f->block != ref.block) continue;
    report(cx, diag(DiagKind::circular, "block `" + ref.block->name.text + "` contains itself")
                   .at(call.callee.span, "instantiated here")
                   .also(ref.block->name.span, "while it is being elaborated")
                   .help("write a chain of blocks as `repeat`"));
    return false;
  }
  if (!ref.shared) {
    reserve(cx, scope, call.instance ? call.instance->text : call.callee.text, call.callee.span,
            false);
    if (call.instance) note_name(cx, Symbol::Kind::label, *call.instance, scope.owner_path);
    return true;
  }
  if (call.instance) {
    report(cx, diag(DiagKind::wrong_arguments, "`" + call.callee.text + "` is an instance already")
                   .at(call.instance->span, "it has its name from its declaration")
                   .also(ref.shared->declared, "declared here"));
    return false;
  }
  const SharedInstance& shared = *ref.shared;
  const Segment& segment = *shared.segment;
  scope.shared = true;
  scope.repeated = segment.uses > 1;
  scope.first = segment.first == shared.declared ? segment.last : segment.first;
  scope.here = shared.declared;
  scope.label = shared.label;
  scope.owner_path = shared.owner_path;
  scope.dim_path = shared.path;
  return true;
}

/// Whether this use of a shared instance is its first. The arguments come before it: in `g(g(x))`
/// the inner call makes the parameters.
void count_use(SharedInstance& shared, Frame& frame, Scope& scope) {
  const int before = shared.calls++;
  scope.path = shared.path + (before ? "~" + std::to_string(before) : "");
  frame.uses.emplace_back(shared.owner_path, before);
}

/// No dimension of the block's own may leave it.
bool check_returned(Context& cx, const Frame& frame, const CallSite& site, const Val& val) {
  for (DimId dim : dims_of(cx, val)) {
    if (!frame.local_dims.count(dim)) continue;
    report(cx, diag(DiagKind::wrong_result, "block `" + frame.block->name.text +
                                                "` returns its own dimension `" +
                                                dim_names(cx, {dim}) + "`")
                   .at(frame.returned_spans[0], show(cx, val))
                   .also(cx.dims()[dim].declared, "local to the block")
                   .note("instantiated at " + file_and_line(cx, site.call->callee.span))
                   .help("make it a dimension by parameter: `block " + frame.block->name.text +
                         "(..., dim " + dim_names(cx, {dim}) + ")`"));
    return false;
  }
  return true;
}

Val finish_block(Context& cx, Frame& frame, const CallSite& site) {
  if (cx.stopped) return {};
  if (!frame.done) {
    report_no_return(cx, frame, site);
    return {};
  }
  Val::Values values;
  if (frame.returned.values())
    values = *frame.returned.values();
  else
    values.push_back(frame.returned);
  for (const Val& val : values)
    if (!check_returned(cx, frame, site, val)) return {};
  if (!site.to) return frame.returned;
  for (DimId dim : *site.to) {
    bool there = false, poison = false;
    for (const Val& val : values) {
      there = there || contains(dims_of(cx, val), dim);
      poison = poison || val.poison();
    }
    if (there || poison) continue;
    report(cx, diag(DiagKind::wrong_result, "block `" + frame.block->name.text +
                                                "` does not return `" + dim_names(cx, {dim}) + "`")
                   .at(site.call->to->span, "promised here")
                   .also(frame.returned_spans[0], "returned: " + show(cx, values[0])));
    return {};
  }
  return frame.returned;
}

/// An instance, a block of the same file, a block of a used file.
std::optional<BlockRef> resolve_block(Context& cx, const ast::Call& call, bool& failed) {
  const Module* module = cx.now.scope->module;
  const std::string& name = call.callee.text;
  auto in = [&](const Module& m) {
    const auto it = m.blocks.find(name);
    return it == m.blocks.end()
               ? BlockRef{}
               : BlockRef{&m, &std::get<ast::BlockDecl>(m.file.at(it->second).node), nullptr};
  };
  if (call.module) {
    for (const Module* used : module->uses)
      if (used->name == call.module->text)
        if (const BlockRef ref = in(*used); ref.block) return ref;
    failed = true;
    no_such_method(cx, call);
    return std::nullopt;
  }
  if (SharedInstance* shared = find_instance(cx, name))
    return BlockRef{shared->module, shared->block, shared};
  if (const BlockRef own = in(*module); own.block) return own;
  std::optional<BlockRef> found;
  for (const Module* used : module->uses) {
    const BlockRef ref = in(*used);
    if (!ref.block) continue;
    if (found && found->block != ref.block) {
      failed = true;
      report(cx, diag(DiagKind::ambiguous_name, "two used files have a block `" + name + "`")
                     .at(call.callee.span)
                     .also(found->block->name.span, "one")
                     .also(ref.block->name.span, "another")
                     .help("say which: `" + found->module->name + "." + name + "(...)` or `" +
                           used->name + "." + name + "(...)`"));
      return std::nullopt;
    }
    found = ref;
  }
  return found;
}

}  // namespace

std::optional<BlockRef> find_block(Context& cx, const ast::Call& call, bool& failed) {
  const auto ref = resolve_block(cx, call, failed);
  if (!ref) return ref;
  note_use(cx, ref->shared ? ref->shared->declared : ref->block->name.span, call.callee.span);
  if (call.module) note_file_use(cx, *cx.now.scope->module, *ref->module, call.module->span);
  return ref;
}

/// Whose paths the compiler's own variables have.
void refuse_reserved_owner(Context& cx, const std::string& owner, Span here) {
  struct Reserved {
    std::string_view owner, message, note;
  };
  static constexpr Reserved reserved[] = {
      {owner_names::optimizer, "`optimizer` owns the optimiser's states",
       "the state `m` of a parameter `w` is `optimizer.m.w`, also in checkpoints"},
      {owner_names::step, "`train` owns what a step adds up",
       "with micro-batches the gradients of a parameter `w` are added up in `train.grad.w`"}};
  for (const Reserved& one : reserved)
    if (owner == one.owner && cx.session.reported_owners.insert({here.begin, here.end}).second)
      report(cx, diag(DiagKind::path_used_twice, std::string(one.message))
                     .at(here)
                     .note(std::string(one.note))
                     .help("give it another name: `@NAME` after the block's or `repeat`"));
}

void reserve(Context& cx, Scope& fresh, const std::string& segment, Span here, bool iteration) {
  Segment& used = cx.now.scope->segments[segment];
  fresh.repeated = used.uses > 0;
  fresh.first = used.first;
  fresh.here = here;
  fresh.iteration = iteration;
  fresh.label = segment;
  if (!fresh.repeated) used.first = here;
  used.last = here;
  const std::string unique = used.uses == 0 ? segment : segment + "~" + std::to_string(used.uses);
  ++used.uses;
  fresh.path = joined(cx.now.scope->path, unique);
  fresh.owner_path = joined(cx.now.scope->owner_path, segment);
  fresh.dim_path = joined(cx.now.scope->dim_path, unique);
  refuse_reserved_owner(cx, fresh.owner_path, here);
}

Val call_block(Context& cx, const BlockRef& ref, const ast::Call& call, Span span) {
  constexpr int cost = 10, stack_cost = 4;
  if (too_much(cx, call.callee.span, cost)) return {};
  Frame frame;
  Scope scope;
  if (!open_frame(cx, ref, call, frame, scope)) return {};
  CallSite site{&call, span, {}, {}, {}, {}};
  bool fine = evaluate_arguments(cx, site);
  fine = evaluate_lists(cx, site) && fine;
  if (ref.shared) count_use(*ref.shared, frame, scope);
  if (!bind_lists(cx, *ref.block, site, scope)) return {};
  if (!fine || !rename_to_aliases(cx, *ref.block, site, scope)) return {};
  if (!bind_arguments(cx, *ref.block, site, frame)) return {};

  cx.depth += stack_cost;
  {
    At body(cx, {&ref.module->file, &scope, nullptr});
    announce_dims(cx, ref.block->body, scope);
    exec(cx, ref.block->body);
  }
  cx.depth -= stack_cost;
  return finish_block(cx, frame, site);
}

}  // namespace mtfc::elab
