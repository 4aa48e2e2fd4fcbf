// Parameters and states: their paths, who owns them, and `update`.
#include "frontend/elaborate/declare.h"

#include <algorithm>

#include "frontend/elaborate/dim_lists.h"
#include "frontend/elaborate/expressions.h"
#include "frontend/elaborate/names.h"
#include "frontend/elaborate/note_symbols.h"
#include "frontend/elaborate/report.h"
#include "frontend/elaborate/statements.h"
#include "frontend/elaborate/value_names.h"
#include "frontend/elaborate/values.h"
#include "support/program_names.h"

namespace mtfc::elab {

namespace {

/// Whether the use of a shared instance that declares a path is a further one of that which did
/// before: neither the same one, nor of something else that is called so.
bool is_further_use(const SharedUses& before, const SharedUses& now) {
  for (std::size_t i = 0; i < before.size() && i < now.size(); ++i) {
    if (before[i].first != now[i].first) return false;
    if (before[i].second != now[i].second) return true;
  }
  return false;
}

/// A further use of a shared instance: what it declares must be what the first declared.
bool reuse_shared(Context& cx, const VariableDecl& decl, const std::string& path,
                  const TensorType& type) {
  const Owner& first = cx.owners[path];
  const Variable& before = cx.session.model.variables[cx.session.variables.at(path).at()];
  if (before.kind != decl.kind || before.type.dtype != type.dtype) {
    const auto words = [](Variable::Kind kind, DType dtype) {
      return std::string(kind == Variable::Kind::state ? "a state" : "a parameter") + " of " +
             std::string(mtfc::name(dtype));
    };
    report(cx, diag(DiagKind::path_used_twice, "`" + path + "` is declared in two ways")
                   .at(decl.name.span, "now " + words(decl.kind, type.dtype))
                   .also(first.declared,
                         "the first use made it " + words(before.kind, before.type.dtype))
                   .help("every use of a shared instance must declare the same"));
    return false;
  }
  if (same_set(first.dims, type.dims)) return true;
  report(cx, diag(DiagKind::dimensions_differ,
                  "the shared parameter `" + path + "` would get other dimensions")
                 .at(decl.shape_span, "now " + show(cx, type.dims))
                 .note("the first use gave it " + show(cx, first.dims))
                 .help("every use of an instance must have the same dimensions, by name"));
  return false;
}

/// "label them: ...", so that what is called `path` is under another label in its place.
std::string advice_on_names(const Context& cx, const Scope& guilty, const std::string& path) {
  const std::string& label = guilty.label;
  const bool labelled = guilty.here.begin > 0 &&
                        cx.session.sources.text(guilty.here.file)[guilty.here.begin - 1] == '@';
  if (guilty.iteration && labelled)
    return "give the second another label: `repeat@" + label + "_2`; labels become checkpoint keys";
  if (guilty.iteration)
    return "label them: `repeat@encoder " + label + "`, `repeat@decoder " + label +
           "`; labels become checkpoint keys";
  const std::size_t end = guilty.owner_path.size();
  const auto relabelled = [&](const std::string& other) {
    return "`" + path.substr(0, end - label.size()) + other + path.substr(end) + "`";
  };
  const Frame& frame = *guilty.frame;
  const std::string other = frame.block->name.text + "@" + label + "_2";
  const std::string then = "`; its parameter is then " + relabelled(label + "_2");
  if (guilty.shared)
    return "give one of them another name: `instance " + frame.title + " = " + other + then;
  if (frame.block->name.text != label)
    return "give the second another name: `" + other + "(...)" + then;
  return "name them: `" + label + "@a(...)`, `" + label +
         "@b(...)`; names become checkpoint keys " + relabelled("a") + ", " + relabelled("b");
}

/// The outermost instance or iteration whose name was taken already is to blame; it is reported
/// once.
void path_used_twice(Context& cx, const VariableDecl& decl, const std::string& path,
                     const Dims& dims) {
  const Scope* guilty = nullptr;
  for (const Scope* s = cx.now.scope; s && s->frame;) {
    if (s->repeated) guilty = s;
    const bool root = s == s->frame->root;
    s = root ? s->frame->caller_scope : s->parent;
  }
  const Owner& first = cx.owners[path];
  if (!guilty) {
    report(cx, diag(DiagKind::path_used_twice, "two parameters would both be `" + path + "`")
                   .at(decl.name.span, "second, " + decl.name.text + show(cx, dims))
                   .also(first.declared, "first, " + decl.name.text + show(cx, first.dims)));
    return;
  }
  if (!cx.session.reported_owners.insert({guilty->here.begin, guilty->here.end}).second) return;
  const std::string label = guilty->label;
  const std::string tail = decl.name.text;
  const std::string what = guilty->iteration ? "two `repeat`s of `" + label + "`"
                           : guilty->frame->block->name.text == label && !guilty->shared
                               ? "two instances of `" + label + "`"
                               : "two instances are called `" + label + "`, and";
  Diagnostic d = diag(DiagKind::path_used_twice, what + " would both own parameter `" + path + "`")
                     .at(guilty->here, "second, " + tail + show(cx, dims))
                     .also(guilty->first, "first, " + tail + show(cx, first.dims))
                     .help(advice_on_names(cx, *guilty, path));
  // The place is the caller's, so it needs no note about the instance.
  cx.session.diagnostics.report(std::move(d));
}

/// As written.
std::string first_value(const Context& cx, const VariableDecl& decl) {
  return decl.init.valid()
             ? (decl.sampled ? "~ " : "= ") + quoted_source(cx, cx.expr(decl.init).span)
             : "";
}

/// Creates the variable, or finds it from the other elaboration, and reads it.
ValueId read_variable(Context& cx, const VariableDecl& decl, const std::string& path,
                      const TensorType& type) {
  const auto known = cx.session.variables.find(path);
  if (known == cx.session.variables.end()) {
    cx.session.variables[path] = next_id<VariableId>(cx.session.model.variables);
    cx.session.model.variables.push_back(
        {path, type, decl.kind, true, decl.name.span, decl.shape_span});
    cx.session.first_values[path] = first_value(cx, decl);
    initialise(cx, decl, path, type);
  } else if (!cx.owners.count(path)) {
    const Variable& before = cx.session.model.variables[known->second.at()];
    const bool same = before.type == type && before.kind == decl.kind;
    if (before.declared != decl.name.span &&
        !(same && cx.session.first_values[path] == first_value(cx, decl)))
      report(cx, diag(DiagKind::mode_dependent,
                      "`" + path + "` is declared in two ways, for training and for evaluation")
                     .at(decl.name.span, "in evaluation")
                     .also(before.declared, "in training")
                     .help("declare it once, outside of `if training`"));
    else if (!same)
      report(cx, diag(DiagKind::mode_dependent,
                      "`" + path + "` differs between training and evaluation")
                     .at(decl.shape_span, "in evaluation: " + sized(cx, type.dims))
                     .note("in training: " + sized(cx, before.type.dims))
                     .help("a dimension of a parameter or state must not depend on `training`"));
  }
  const ValueId id = build_at(cx, decl.name.span).read(path, type);
  Owner owner{decl.name.span, {}, {}, {}, id, type.dims};
  if (const Frame* frame = cx.now.scope->frame; frame->block) owner.call = frame->call;
  owner.uses = cx.now.scope->frame->uses;
  record_name(cx, path, id, false);
  if (decl.kind == Variable::Kind::parameter && !decl.typed)
    owner.value = to_activation(cx, id, decl.name.span);
  cx.owners.try_emplace(path, owner);
  return owner.value;
}

void declare_variable(Context& cx, const VariableDecl& decl) {
  const std::string path = joined(cx.now.scope->owner_path, decl.name.text);
  if (path == owner_names::notes)
    report(cx, diag(DiagKind::path_used_twice, "`" + path + "` is the header of checkpoints")
                   .at(decl.name.span)
                   .help("give it another name"));
  Binding binding;
  binding.kind =
      decl.kind == Variable::Kind::parameter ? Binding::Kind::parameter : Binding::Kind::state;
  binding.path = path;
  const auto owned = cx.owners.find(path);
  const SharedUses& uses = cx.now.scope->frame->uses;
  if (owned != cx.owners.end() && is_further_use(owned->second.uses, uses)) {
    owned->second.uses = uses;
    if (reuse_shared(cx, decl, path, decl.type)) binding.val = {owned->second.value};
  } else {
    if (owned != cx.owners.end()) path_used_twice(cx, decl, path, decl.type.dims);
    binding.val = {read_variable(cx, decl, path, decl.type)};
  }
  declare_name(cx, decl.name, std::move(binding));
}

/// The next use of a shared instance starts from it; what the last one gives is stored.
void store_state(Context& cx, const std::string& path, ValueId value) {
  cx.owners[path].value = value;
  for (Output& output : cx.graph.outputs)
    if (output.kind == Output::Kind::variable && output.name == path) {
      output.value = value;
      return;
    }
  cx.graph.outputs.push_back({Output::Kind::variable, path, value});
}

/// What a name stands for in the block that the statement is in; null if nothing.
Binding* find_own(Context& cx, const std::string& name) {
  for (Scope* s = cx.now.scope; s && s->frame == cx.now.scope->frame; s = s->parent)
    if (const auto found = s->names.find(name); found != s->names.end()) return &found->second;
  return nullptr;
}

/// Null: reported.
Binding* find_own_state(Context& cx, const ast::Name& name) {
  Binding* binding = find_own(cx, name.text);
  if (binding) note_use(cx, *binding, name.span);
  if (binding && binding->kind == Binding::Kind::state) return binding;
  Diagnostic d = diag(DiagKind::wrong_update, "`" + name.text + "` is not a state declared here")
                     .at(name.span);
  if (binding) d.labels.push_back({binding->declared, std::string(describe(binding->kind)), false});
  d.notes.push_back("`update` belongs in the block that declares the state");
  report(cx, std::move(d));
  return nullptr;
}

}  // namespace

void exec_param(Context& cx, const ast::ParamDecl& decl) {
  for (const ast::Name& name : decl.names) {
    const auto dims = declared_shape(cx, decl.shape, name.text);
    const auto dtype = decl.dtype ? declared_type(cx, decl.dtype) : computed_type(cx, DType::f32);
    if (!dims || !dtype) {
      Binding poison;
      poison.kind = Binding::Kind::parameter;
      declare_name(cx, name, poison);
      continue;
    }
    declare_variable(cx, {Variable::Kind::parameter,
                          name,
                          decl.shape.span,
                          {*dtype, *dims},
                          decl.dtype.has_value(),
                          decl.sampled,
                          decl.init});
  }
}

void exec_state(Context& cx, const ast::StateDecl& decl) {
  const ast::Target& target = decl.target;
  const auto dims = target.shape ? declared_shape(cx, *target.shape, target.name.text) : Dims{};
  const auto dtype = target.dtype ? declared_type(cx, target.dtype) : computed_type(cx, DType::f32);
  if (!dims || !dtype) {
    Binding poison;
    poison.kind = Binding::Kind::state;
    declare_name(cx, target.name, poison);
    return;
  }
  const Span span = target.shape ? target.shape->span : target.name.span;
  declare_variable(cx, {Variable::Kind::state,
                        target.name,
                        span,
                        {*dtype, *dims},
                        target.dtype.has_value(),
                        decl.sampled,
                        decl.init});
}

void exec_update(Context& cx, const ast::Update& update) {
  const ast::Name& name = update.name;
  const Binding* binding = find_own_state(cx, name);
  if (!binding) return;
  if (!cx.now.scope->frame->updated.insert(binding->path).second) {
    report(cx, diag(DiagKind::wrong_update, "`" + name.text + "` is updated twice")
                   .at(name.span)
                   .also(binding->declared, "declared here")
                   .help("compute the new value first, then write one `update`"));
    return;
  }
  if (!cx.training) return;  // states change in training only
  const Operand value = eval_operand(cx, update.value);
  if (value.val.poison() || binding->val.poison()) return;
  const TensorType wanted = cx.build.type(*binding->val.tensor());
  const auto id = as_tensor(cx, value, wanted.dtype);
  if (!id) return;
  const Dims have = cx.build.type(*id).dims;
  const bool number = value.val.is_static();
  if (cx.build.type(*id).dtype != wanted.dtype || (!number && !same_set(have, wanted.dims))) {
    report(
        cx,
        diag(DiagKind::wrong_update,
             "the new value of `" + name.text + "` has " +
                 (cx.build.type(*id).dtype != wanted.dtype ? "another type" : "other dimensions"))
            .at(value.span, show(cx, value.val))
            .also(binding->declared,
                  "the state is " + std::string(mtfc::name(wanted.dtype)) + show(cx, wanted.dims)));
    return;
  }
  const ValueId ordered = build_at(cx, value.span).broadcast(*id, wanted.dims);
  store_state(cx, binding->path, build_at(cx, value.span).stop_gradient(ordered));
}

}  // namespace mtfc::elab
