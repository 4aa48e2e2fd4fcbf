// Looking up, binding, and dimensions and constants that are computed when first needed.
#include "frontend/elaborate/names.h"

#include "frontend/elaborate/dim_lists.h"
#include "frontend/elaborate/expressions.h"
#include "frontend/elaborate/note_symbols.h"
#include "frontend/elaborate/report.h"
#include "frontend/elaborate/value_names.h"
#include "frontend/elaborate/values.h"
#include "ops/op.h"

namespace mtfc::elab {

namespace {

/// Where the file or block defines a name behind this use of it.
std::optional<Span> defined_later(const Context& cx, const ast::Name& name) {
  const Frame* frame = cx.now.scope->frame;
  const ast::File& file = *cx.now.file;
  const ast::Body& body = frame && frame->block ? frame->block->body : file.body;
  const auto later = [&](const ast::Name& one) {
    return one.text == name.text && one.span.file == name.span.file &&
           one.span.begin > name.span.end;
  };
  for (const ast::StatementId id : body) {
    const auto& node = file.at(id).node;
    if (const auto* assign = std::get_if<ast::Assign>(&node))
      for (const ast::Target& target : assign->targets)
        if (later(target.name)) return target.name.span;
    if (const auto* input = std::get_if<ast::InputDecl>(&node))
      if (later(input->target.name)) return input->target.name.span;
    if (const auto* param = std::get_if<ast::ParamDecl>(&node))
      for (const ast::Name& one : param->names)
        if (later(one)) return one.span;
    if (const auto* state = std::get_if<ast::StateDecl>(&node))
      if (later(state->target.name)) return state->target.name.span;
  }
  return std::nullopt;
}

/// `a = b  // the sum`: words of a comment in the style of another language.
bool follows_slashes(const Context& cx, const ast::Name& name) {
  const std::string_view text = cx.session.sources.text(name.span.file);
  const std::size_t end = text.find_last_not_of(" \t", name.span.begin - 1);
  return name.span.begin > 1 && end != text.npos && end > 0 && text.substr(end - 1, 2) == "//";
}

void unknown_name(Context& cx, const ast::Name& name) {
  Diagnostic d =
      diag(DiagKind::unknown_name, "unknown name `" + name.text + "`").at(name.span, "not defined");
  std::vector<std::string> candidates = visible_names(cx, false);
  for (const std::string& dim : visible_names(cx, true)) candidates.push_back(dim);
  if (cx.now.scope->module && cx.now.scope->module->incomplete)
    return;  // of a file not read, perhaps
  const bool in_block = cx.now.scope->frame && cx.now.scope->frame->block;
  const Scope::Ended* ended = nullptr;
  for (const Scope* s = cx.now.scope; s && !ended; s = s->parent)
    if (const auto it = s->ended.find(name.text); it != s->ended.end()) ended = &it->second;
  const auto outside = cx.file_scope.names.find(name.text);
  if (ended) {
    d.labels[0].text = "not defined any more";
    d.labels.push_back({ended->declared, "defined here, in the body of a `repeat`", false});
    d.notes.push_back("what a body defines first ends with it, at " +
                      file_and_line(cx, ended->body));
    d.helps.push_back("define `" + name.text +
                      "` before the `repeat`: then every iteration hands it on");
  } else if (in_block && outside != cx.file_scope.names.end()) {
    d.labels.push_back({outside->second.declared, "defined here, outside the block", false});
    d.notes.push_back(
        "a block sees its arguments and the file's dims, consts and blocks, not the "
        "file's tensors");
    d.helps.push_back("pass `" + name.text + "` as an argument");
  } else if (!cx.now.scope->frame && outside != cx.file_scope.names.end()) {
    d.labels[0].text = "known only while the model runs";
    d.labels.push_back({outside->second.declared, "defined here", false});
    d.notes.push_back("a `dim` or `const` is computed from numbers, and from others of them");
  } else if (name.text == "True" || name.text == "False") {
    const std::string ours = name.text == "True" ? "true" : "false";
    d.help("write `" + ours + "`").fix(name.span, ours);
  } else if (const auto later = defined_later(cx, name)) {
    d.labels[0].text = "not defined yet";
    d.labels.push_back({*later, "defined here, further down", false});
    d.helps.push_back("a tensor is defined before it is used: move one of the two lines");
  } else if (follows_slashes(cx, name)) {
    d.helps.push_back("`//` divides and rounds down; a comment begins with `#`");
  } else if (ops::find_op(name.text)) {
    d.helps.push_back("`" + name.text + "` is a function: call it, `" + name.text +
                      "(...)`; blocks that ask for one take its name as text, `\"" + name.text +
                      "\"`");
  } else {
    suggest_own(d, name, candidates);
  }
  report(cx, std::move(d));
}

}  // namespace

Scope& statics(Context& cx, const Module& module) {
  std::unique_ptr<Scope>& scope = cx.statics[&module];
  if (!scope) {
    scope = std::make_unique<Scope>();
    scope->module = &module;
    const Cursor before = cx.now;
    cx.now = {&module.file, scope.get(), nullptr};
    announce_dims(cx, module.file.body, *scope);
    cx.now = before;
  }
  return *scope;
}

void announce_dims(Context& cx, const ast::Body& body, Scope& scope) {
  for (ast::StatementId id : body) {
    const ast::Statement& statement = cx.now.file->at(id);
    if (const auto* dims = std::get_if<ast::DimDecl>(&statement.node))
      for (const ast::Sized& d : dims->dims)
        announce(cx, d.name, d.value, Binding::Kind::dim, scope);
    if (const auto* consts = std::get_if<ast::ConstDecl>(&statement.node))
      for (const ast::Sized& c : consts->consts)
        announce(cx, c.name, c.value, Binding::Kind::constant, scope);
  }
}

void announce(Context& cx, const ast::Name& name, ast::ExprId formula, Binding::Kind kind,
              Scope& scope) {
  if (kind == Binding::Kind::dim && name.text.back() == '\'') {
    report(cx, diag(DiagKind::defined_twice, "`" + name.text + "` cannot be declared")
                   .at(name.span, "a name with a prime")
                   .note("`d'` is always there for a dimension `d`, with the same size"));
    return;
  }
  Binding binding;
  binding.kind = kind;
  binding.declared = name.span;
  binding.ready = Binding::Ready::no;
  binding.formula = formula;
  const auto [it, fresh] = scope.names.try_emplace(name.text, binding);
  if (fresh && cx.session.symbols)
    cx.session.symbols->declare(
        kind == Binding::Kind::dim ? Symbol::Kind::dimension : Symbol::Kind::constant, name.text,
        name.span);
  if (fresh || it->second.declared == name.span) return;
  report(cx, diag(DiagKind::defined_twice,
                  "`" + name.text + "` is already " + std::string(describe(it->second.kind)))
                 .at(name.span, "a second one")
                 .also(it->second.declared, "the first one")
                 .note("dimensions and constants are bound once"));
}

Binding* find_binding(Context& cx, const std::string& name, Span use) {
  const Module* module = nullptr;
  for (Scope* scope = cx.now.scope; scope; scope = scope->parent) {
    module = scope->module ? scope->module : module;
    const auto it = scope->names.find(name);
    if (it == scope->names.end()) continue;
    if (it->second.ready != Binding::Ready::yes) settle(cx, name, it->second, *scope);
    note_use(cx, it->second, use);
    return &it->second;
  }
  Binding* found = nullptr;
  for (const Module* used : module ? module->uses : std::vector<const Module*>{}) {
    Scope& scope = statics(cx, *used);
    const auto it = scope.names.find(name);
    if (it == scope.names.end()) continue;
    if (found) {
      report(cx, diag(DiagKind::ambiguous_name, "`" + name + "` is defined in two used files")
                     .at(use)
                     .also(found->declared, "here")
                     .also(it->second.declared, "and here")
                     .help("say which one: `" + used->name + "." + name + "`"));
      break;
    }
    if (it->second.ready != Binding::Ready::yes) settle(cx, name, it->second, scope);
    found = &it->second;
  }
  if (found) note_use(cx, *found, use);
  return found;
}

namespace {

/// What `-D` says of a name of the scope; null: nothing.
Override* override_of(Context& cx, const std::string& name, const Scope& home) {
  const bool main = !home.frame && home.module == &cx.session.modules.front();
  return main ? cx.session.define(name) : nullptr;
}

void depends_on_itself(Context& cx, const std::string& name, const Binding& binding,
                       const Scope& home) {
  Diagnostic d = diag(DiagKind::circular, "`" + name + "` depends on itself")
                     .at(binding.declared, "its value is needed to compute its value");
  const auto add_override = [&](const std::string& one) {
    if (const Override* over = override_of(cx, one, home); over && over->tree)
      d.also(over->tree->at(over->value).span, "`" + one + "` is replaced here");
  };
  for (const auto& [other, needed] : home.names)
    if (needed.ready == Binding::Ready::running && &needed != &binding) {
      d.also(needed.declared, "by way of `" + other + "`");
      add_override(other);
    }
  add_override(name);
  report(cx, std::move(d));
}

}  // namespace

void settle(Context& cx, const std::string& name, Binding& binding, Scope& home) {
  if (binding.ready == Binding::Ready::running) {
    depends_on_itself(cx, name, binding, home);
    binding.usable = false;
    return;
  }
  binding.ready = Binding::Ready::running;
  Override* over = override_of(cx, name, home);
  Cursor cursor{&home.module->file, &home, nullptr};
  ast::ExprId formula = binding.formula;
  if (over) {
    over->used = true;
    cursor.file = &*over->tree;
    formula = over->value;
  }
  At there(cx, cursor);
  cx.depth += 2;
  const Val val = eval(cx, formula);
  cx.depth -= 2;
  if (binding.kind == Binding::Kind::dim) {
    const Span size = over ? cx.now.file->at(formula).span : home.module->file.at(formula).span;
    settle_dim(cx, name, binding, home, val, size, over);
  } else if (val.is_static()) {
    binding.val = val;
  } else {
    not_static(cx, val, cx.expr(formula).span, "a constant");
  }
  binding.ready = Binding::Ready::yes;
  note_binding(cx, name, binding, joined(home.dim_path, name));
}

Val name_value(Context& cx, const ast::Name& name) {
  Binding* binding = find_binding(cx, name.text, name.span);
  if (!binding) {
    if (name.text == "training") return {cx.training};
    if (name.text == "step") return checked_tensor(cx, build_at(cx, name.span).step(), name.span);
    if (name.text.back() == '\'') {
      const auto dims = dims_named(cx, name);
      return dims ? Val{Number::whole(cx.dims().size((*dims)[0]))} : Val{};
    }
    unknown_name(cx, name);
    return {};
  }
  if (binding->kind == Binding::Kind::data) {
    report(cx, diag(DiagKind::type_mismatch, "`" + name.text + "` is a data source, not a value")
                   .at(name.span)
                   .also(binding->declared, "declared here")
                   .help("read a field of it: `input x[...] from " + name.text + ".field`"));
    return {};
  }
  if (binding->kind != Binding::Kind::dim) return binding->val;
  if (!binding->usable) return {};
  Number product = Number::whole(1);
  for (DimId dim : binding->dims)
    product = *arithmetic(ast::BinaryOp::multiply, product, Number::whole(cx.dims().size(dim)));
  return {product};
}

std::vector<std::string> visible_names(const Context& cx, bool dims_only) {
  std::vector<std::string> list;
  for (const Scope* scope = cx.now.scope; scope; scope = scope->parent)
    for (const auto& [name, binding] : scope->names)
      if ((binding.kind == Binding::Kind::dim) == dims_only) list.push_back(name);
  return list;
}

Binding* declare_name(Context& cx, const ast::Name& name, Binding binding) {
  binding.declared = name.span;
  for (Scope* scope = cx.now.scope; scope; scope = scope->parent) {
    const bool same_owner = scope->frame == cx.now.scope->frame || scope->frame == nullptr;
    const bool blocks_own = !scope->frame && cx.now.scope->frame && cx.now.scope->frame->block;
    if (!same_owner || blocks_own) break;
    const auto it = scope->names.find(name.text);
    if (it == scope->names.end()) continue;
    if (it->second.declared == name.span) continue;  // an earlier iteration of the same statement
    report(cx, diag(DiagKind::defined_twice,
                    "`" + name.text + "` is already " + std::string(describe(it->second.kind)))
                   .at(name.span, "a second meaning")
                   .also(it->second.declared, "the first one")
                   .help("choose another name"));
    return nullptr;
  }
  Binding& slot = cx.now.scope->names[name.text];
  slot = std::move(binding);
  note_binding(cx, name.text, slot,
               slot.path.empty() ? joined(cx.now.scope->path, name.text) : slot.path);
  return &slot;
}

namespace {

/// What to write for a second value of what has one value in a step.
std::string instead_of_assigning(const std::string& name, Binding::Kind kind) {
  if (kind == Binding::Kind::state)
    return "what it is in the next step is set by `update " + name +
           " = ...`; in this step it keeps its value";
  if (kind == Binding::Kind::parameter)
    return "a parameter changes by training only: give what is computed from it another name";
  if (kind == Binding::Kind::input)
    return "an input is what its data give: give what is computed from it another name";
  return "choose another name";
}

}  // namespace

void assign_name(Context& cx, const ast::Name& name, Val val) {
  Scope* scope = cx.now.scope;
  const Frame* frame = scope->frame;
  for (; scope && scope->frame == frame; scope = scope->parent)
    if (scope->names.count(name.text)) break;
  const bool at_file_level = frame && !frame->block;
  if (scope && scope->frame != frame && !(at_file_level && scope->names.count(name.text)))
    scope = nullptr;
  if (!scope) {
    Binding binding;
    binding.declared = name.span;
    binding.val = std::move(val);
    note_binding(cx, name.text, binding, joined(cx.now.scope->path, name.text));
    cx.now.scope->names[name.text] = std::move(binding);
    if (const ValueId* id = cx.now.scope->names[name.text].val.tensor())
      record_name(cx, joined(cx.now.scope->path, name.text), *id, false);
    return;
  }
  Binding& old = scope->names[name.text];
  if (old.kind != Binding::Kind::tensor && old.kind != Binding::Kind::argument) {
    report(cx, diag(DiagKind::defined_twice,
                    "`" + name.text + "` is already " + std::string(describe(old.kind)))
                   .at(name.span, "assigned here")
                   .also(old.declared, "declared here")
                   .note("only what was made by `=` can be assigned again")
                   .help(instead_of_assigning(name.text, old.kind)));
    return;
  }
  if (scope != cx.now.scope) {
    bool known = false;
    for (const Scope::Carried& c : cx.now.scope->carried)
      known = known || (c.owner == scope && c.name == name.text);
    if (!known) cx.now.scope->carried.push_back({scope, name.text, old.val, name.span});
  }
  old.val = std::move(val);
  if (!old.first.valid()) old.first = old.declared;
  old.declared = name.span;
  note_use(cx, old, name.span);
  note_binding(cx, name.text, old, joined(cx.now.scope->path, name.text));
  if (const ValueId* id = old.val.tensor()) {
    record_name(cx, joined(scope->path, name.text), *id, false);
    if (scope != cx.now.scope) record_name(cx, joined(cx.now.scope->path, name.text), *id, true);
  }
}

}  // namespace mtfc::elab
