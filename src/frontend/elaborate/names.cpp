// What names stand for: looking up, binding, and dimensions and constants that are computed when
// first needed.
#include "frontend/elaborate/elaborator.h"
#include "support/render.h"

namespace mtfc::elab {

using Kind = Binding::Kind;

/// The dimensions and constants of a file, as all its blocks see them.
Scope& Elaborator::statics(const Module& module) {
  std::unique_ptr<Scope>& scope = statics_[&module];
  if (!scope) {
    scope = std::make_unique<Scope>();
    scope->module = &module;
    const Context before = now_;
    now_ = {&module.file, scope.get(), false, nullptr, {}};
    announce_dims(module.file.body, *scope);
    now_ = before;
  }
  return *scope;
}

/// Makes the dims and consts of a list of statements known before their lines.
void Elaborator::announce_dims(const ast::Body& body, Scope& scope) {
  for (ast::StatementId id : body) {
    const ast::Statement& statement = now_.file->at(id);
    if (const auto* dims = std::get_if<ast::DimDecl>(&statement.node))
      for (const ast::Sized& d : dims->dims) announce(d.name, d.value, Kind::dim, scope);
    if (const auto* consts = std::get_if<ast::ConstDecl>(&statement.node))
      for (const ast::Sized& c : consts->consts) announce(c.name, c.value, Kind::constant, scope);
  }
}

void Elaborator::announce(const ast::Name& name, ast::ExprId formula, Kind kind, Scope& scope) {
  if (kind == Kind::dim && name.text.back() == '\'') {
    report(diag(DiagKind::defined_twice, "`" + name.text + "` cannot be declared")
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
  if (fresh || it->second.declared == name.span) return;
  report(diag(DiagKind::defined_twice,
              "`" + name.text + "` is already " + std::string(describe(it->second.kind)))
             .at(name.span, "a second one")
             .also(it->second.declared, "the first one")
             .note("dimensions and constants are bound once"));
}

/// From the innermost scope outwards, then the constants of used files.
Binding* Elaborator::find(const std::string& name, Span use) {
  const Module* module = nullptr;
  for (Scope* scope = now_.scope; scope; scope = scope->parent) {
    module = scope->module ? scope->module : module;
    const auto it = scope->names.find(name);
    if (it == scope->names.end()) continue;
    if (it->second.ready != Binding::Ready::yes) settle(name, it->second, *scope);
    return &it->second;
  }
  Binding* found = nullptr;
  for (const Module* used : module ? module->uses : std::vector<const Module*>{}) {
    Scope& scope = statics(*used);
    const auto it = scope.names.find(name);
    if (it == scope.names.end()) continue;
    if (found) {
      report(diag(DiagKind::ambiguous_name, "`" + name + "` is defined in two used files")
                 .at(use)
                 .also(found->declared, "here")
                 .also(it->second.declared, "and here")
                 .help("say which one: `" + used->name + "." + name + "`"));
      break;
    }
    if (it->second.ready != Binding::Ready::yes) settle(name, it->second, scope);
    found = &it->second;
  }
  return found;
}

/// Computes a dimension or constant that is needed for the first time.
void Elaborator::settle(const std::string& name, Binding& binding, Scope& home) {
  if (binding.ready == Binding::Ready::running) {
    report(diag(DiagKind::circular, "`" + name + "` depends on itself")
               .at(binding.declared, "its value is needed to compute its value"));
    binding.usable = false;
    return;
  }
  binding.ready = Binding::Ready::running;
  const bool main = !home.frame && home.module == &session_.modules.front();
  Override* over = main ? session_.define(name) : nullptr;
  Context place{&home.module->file, &home, false, nullptr, {}};
  ast::ExprId formula = binding.formula;
  if (over) {
    over->used = true;
    place.file = &*over->tree;
    formula = over->value;
  }
  At there(*this, place);
  depth_ += 2;
  const Val val = eval(formula);
  depth_ -= 2;
  if (binding.kind == Kind::dim) {
    const Span size = over ? now_.file->at(formula).span : home.module->file.at(formula).span;
    settle_dim(name, binding, home, val, size, over);
  } else if (val.is_static()) {
    binding.val = val;
  } else {
    not_static(val, expr(formula).span, "a constant");
  }
  binding.ready = Binding::Ready::yes;
}

Val Elaborator::name_value(const ast::Name& name) {
  Binding* binding = find(name.text, name.span);
  if (!binding) {
    if (name.text == "training") return {training_};
    if (name.text == "step") return tensor(at(name.span).step(), name.span);
    if (name.text.back() == '\'') {
      const auto dims = dims_named(name);
      return dims ? Val{Number::whole(session_.model.dims.size((*dims)[0]))} : Val{};
    }
    unknown_name(name);
    return {};
  }
  if (binding->kind == Kind::data) {
    report(diag(DiagKind::type_mismatch, "`" + name.text + "` is a data source, not a value")
               .at(name.span)
               .also(binding->declared, "declared here")
               .help("read a field of it: `input x[...] from " + name.text + ".field`"));
    return {};
  }
  if (binding->kind != Kind::dim) return binding->val;
  if (!binding->usable) return {};
  Number product = Number::whole(1);
  for (DimId dim : binding->dims)
    product =
        *arithmetic(ast::BinaryOp::multiply, product, Number::whole(session_.model.dims.size(dim)));
  return {product};
}

std::vector<std::string> Elaborator::visible_names(bool dims_only) const {
  std::vector<std::string> list;
  for (const Scope* scope = now_.scope; scope; scope = scope->parent)
    for (const auto& [name, binding] : scope->names)
      if ((binding.kind == Kind::dim) == dims_only) list.push_back(name);
  return list;
}

void Elaborator::unknown_name(const ast::Name& name) {
  Diagnostic d =
      diag(DiagKind::unknown_name, "unknown name `" + name.text + "`").at(name.span, "not defined");
  std::vector<std::string> candidates = visible_names(false);
  for (const std::string& dim : visible_names(true)) candidates.push_back(dim);
  if (now_.scope->module && now_.scope->module->incomplete) return;  // of a file not read, perhaps
  const bool in_block = now_.scope->frame && now_.scope->frame->block;
  const Scope::Ended* ended = nullptr;
  for (const Scope* s = now_.scope; s && !ended; s = s->parent)
    if (const auto it = s->ended.find(name.text); it != s->ended.end()) ended = &it->second;
  const auto outside = file_scope_.names.find(name.text);
  if (ended) {
    d.labels[0].text = "not defined any more";
    d.labels.push_back({ended->declared, "defined here, in the body of a `repeat`", false});
    d.notes.push_back("what a body defines first ends with it, at " + place(ended->body));
    d.helps.push_back("define `" + name.text +
                      "` before the `repeat`: then every turn hands it on");
  } else if (in_block && outside != file_scope_.names.end()) {
    d.labels.push_back({outside->second.declared, "defined here, outside the block", false});
    d.notes.push_back(
        "a block sees its arguments and the file's dims, consts and blocks, not the "
        "file's tensors");
    d.helps.push_back("pass `" + name.text + "` as an argument");
  } else {
    suggest(d, name, candidates);
  }
  report(std::move(d));
}

/// Binds a name once, in the innermost scope.
Binding* Elaborator::declare(const ast::Name& name, Binding binding) {
  binding.declared = name.span;
  for (Scope* scope = now_.scope; scope; scope = scope->parent) {
    const bool same_owner = scope->frame == now_.scope->frame || scope->frame == nullptr;
    const bool blocks_own = !scope->frame && now_.scope->frame && now_.scope->frame->block;
    if (!same_owner || blocks_own) break;
    const auto it = scope->names.find(name.text);
    if (it == scope->names.end()) continue;
    if (it->second.declared == name.span) continue;  // an earlier turn of the same statement
    report(diag(DiagKind::defined_twice,
                "`" + name.text + "` is already " + std::string(describe(it->second.kind)))
               .at(name.span, "a second meaning")
               .also(it->second.declared, "the first one")
               .help("choose another name"));
    return nullptr;
  }
  Binding& slot = now_.scope->names[name.text];
  slot = std::move(binding);
  return &slot;
}

/// `name = e`: rebinds a tensor where it lives, or defines it here.
void Elaborator::assign(const ast::Name& name, Val val) {
  Scope* scope = now_.scope;
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
    now_.scope->names[name.text] = std::move(binding);
    if (const ValueId* id = now_.scope->names[name.text].val.tensor())
      record_name(joined(now_.scope->path, name.text), *id, false);
    return;
  }
  Binding& old = scope->names[name.text];
  if (old.kind != Kind::tensor && old.kind != Kind::argument) {
    report(diag(DiagKind::defined_twice,
                "`" + name.text + "` is already " + std::string(describe(old.kind)))
               .at(name.span, "assigned here")
               .also(old.declared, "declared here")
               .note("only tensors can be assigned again")
               .help("choose another name"));
    return;
  }
  if (scope != now_.scope) {
    bool known = false;
    for (const Scope::Carried& c : now_.scope->carried)
      known = known || (c.owner == scope && c.name == name.text);
    if (!known) now_.scope->carried.push_back({scope, name.text, old.val, name.span});
  }
  old.val = std::move(val);
  old.declared = name.span;
  if (const ValueId* id = old.val.tensor()) {
    record_name(joined(scope->path, name.text), *id, false);
    if (scope != now_.scope) record_name(joined(now_.scope->path, name.text), *id, true);
  }
}

}  // namespace mtfc::elab
