// Parameters and states: their paths, who owns them, and `update`.
#include "frontend/elaborate/declare.h"

#include <algorithm>

namespace mtfc::elab {

void Elaborator::exec_param(const ast::ParamDecl& decl) {
  for (const ast::Name& name : decl.names) {
    const auto dims = shape(decl.shape, name.text);
    const auto dtype = decl.dtype ? declared_type(decl.dtype) : machine(DType::f32);
    if (!dims || !dtype) {
      Binding poison;
      poison.kind = Binding::Kind::parameter;
      declare(name, poison);
      continue;
    }
    declare_variable({Variable::Kind::parameter,
                      name,
                      decl.shape.span,
                      {*dtype, *dims},
                      decl.dtype.has_value(),
                      decl.drawn,
                      decl.init});
  }
}

void Elaborator::exec_state(const ast::StateDecl& decl) {
  const ast::Target& target = decl.target;
  const auto dims = target.shape ? shape(*target.shape, target.name.text) : Dims{};
  const auto dtype = target.dtype ? declared_type(target.dtype) : machine(DType::f32);
  if (!dims || !dtype) {
    Binding poison;
    poison.kind = Binding::Kind::state;
    declare(target.name, poison);
    return;
  }
  const Span span = target.shape ? target.shape->span : target.name.span;
  declare_variable({Variable::Kind::state,
                    target.name,
                    span,
                    {*dtype, *dims},
                    target.dtype.has_value(),
                    decl.drawn,
                    decl.init});
}

void Elaborator::declare_variable(const VariableDecl& decl) {
  const std::string path = joined(now_.scope->owner_path, decl.name.text);
  Binding binding;
  binding.kind =
      decl.kind == Variable::Kind::parameter ? Binding::Kind::parameter : Binding::Kind::state;
  binding.path = path;
  const auto owned = owners_.find(path);
  if (owned != owners_.end() && now_.scope->frame->shares) {
    if (reuse_shared(decl, path, decl.type)) binding.val = {owned->second.value};
  } else {
    if (owned != owners_.end()) path_used_twice(decl, path, decl.type.dims);
    binding.val = {read_variable(decl, path, decl.type)};
  }
  declare(decl.name, std::move(binding));
}

/// Creates the variable, or finds it from the other elaboration, and reads it.
ValueId Elaborator::read_variable(const VariableDecl& decl, const std::string& path,
                                  const TensorType& type) {
  const auto known = session_.variables.find(path);
  if (known == session_.variables.end()) {
    session_.variables[path] = next_id<VariableId>(session_.model.variables);
    session_.model.variables.push_back(
        {path, type, decl.kind, true, decl.name.span, decl.shape_span});
    initialise(decl, path, type);
  } else if (!owners_.count(path)) {
    const Variable& before = session_.model.variables[known->second.at()];
    if (!(before.type == type) && before.declared == decl.name.span)
      report(
          diag(DiagKind::mode_dependent, "`" + path + "` differs between training and evaluation")
              .at(decl.shape_span, "in evaluation: " + sized(type.dims))
              .note("in training: " + sized(before.type.dims))
              .help("a dimension of a parameter or state must not depend on `training`"));
  }
  const ValueId id = at(decl.name.span).read(path, type);
  Owner owner{decl.name.span, {}, {}, {}, id, type.dims};
  if (const Frame* frame = now_.scope->frame; frame->block) owner.call = frame->call;
  record_name(path, id, false);
  if (decl.kind == Variable::Kind::parameter && !decl.typed)
    owner.value = to_activation(id, decl.name.span);
  owners_.try_emplace(path, owner);
  return owner.value;
}

/// A further use of a shared instance: the dimensions must be those of the first.
bool Elaborator::reuse_shared(const VariableDecl& decl, const std::string& path,
                              const TensorType& type) {
  const Owner& first = owners_[path];
  if (same_set(first.dims, type.dims)) return true;
  report(diag(DiagKind::dimensions_differ,
              "the shared parameter `" + path + "` would get other dimensions")
             .at(decl.shape_span, "now " + show(type.dims))
             .note("the first use gave it " + show(first.dims))
             .help("every use of an instance must have the same dimensions, by name"));
  return false;
}

/// The outermost instance or turn whose name was taken already is to blame; it is told once.
void Elaborator::path_used_twice(const VariableDecl& decl, const std::string& path,
                                 const Dims& dims) {
  const Scope* guilty = nullptr;
  for (const Scope* s = now_.scope; s && s->frame;) {
    if (s->repeated) guilty = s;
    const bool root = s == s->frame->root;
    s = root ? s->frame->caller_scope : s->parent;
  }
  const Owner& first = owners_[path];
  if (!guilty) {
    report(diag(DiagKind::path_used_twice, "two parameters would both be `" + path + "`")
               .at(decl.name.span, "second, " + decl.name.text + show(dims))
               .also(first.declared, "first, " + decl.name.text + show(first.dims)));
    return;
  }
  if (!session_.reported_owners.insert({guilty->here.begin, guilty->here.end}).second) return;
  const std::string label = guilty->label;
  const std::string tail = decl.name.text;
  const std::string what =
      guilty->turn ? "two `repeat`s of `" + label + "`" : "two instances of `" + label + "`";
  Diagnostic d = diag(DiagKind::path_used_twice, what + " would both own parameter `" + path + "`")
                     .at(guilty->here, "second, " + tail + show(dims))
                     .also(guilty->first, "first, " + tail + show(first.dims));
  if (guilty->turn)
    d.helps.push_back("label them: `repeat@encoder " + label + "`, `repeat@decoder " + label +
                      "`; labels become checkpoint keys");
  else
    d.helps.push_back("name them: `" + label + "@a(...)`, `" + label +
                      "@b(...)`; names become checkpoint keys `a." + tail + "`, `b." + tail + "`");
  // The place is the caller's, so it needs no note about the instance.
  session_.diagnostics.report(std::move(d));
}

void Elaborator::exec_update(const ast::Update& update) {
  const ast::Name& name = update.name;
  Frame& frame = *now_.scope->frame;
  Binding* binding = nullptr;
  for (Scope* s = now_.scope; s && s->frame == &frame; s = s->parent) {
    const auto it = s->names.find(name.text);
    if (it != s->names.end()) {
      binding = &it->second;
      break;
    }
  }
  if (!binding || binding->kind != Binding::Kind::state) {
    Diagnostic d = diag(DiagKind::wrong_update, "`" + name.text + "` is not a state declared here")
                       .at(name.span);
    if (binding)
      d.labels.push_back({binding->declared, std::string(describe(binding->kind)), false});
    d.notes.push_back("`update` stands in the block that declares the state");
    report(std::move(d));
    return;
  }
  if (!frame.updated.insert(binding->path).second) {
    report(diag(DiagKind::wrong_update, "`" + name.text + "` is updated twice")
               .at(name.span)
               .also(binding->declared, "declared here")
               .help("compute the new value first, then write one `update`"));
    return;
  }
  if (!training_) return;  // states change in training only
  const Operand value = operand(update.value);
  if (value.val.poison() || binding->val.poison()) return;
  const TensorType wanted = build_.type(*binding->val.tensor());
  const auto id = as_tensor(value, wanted.dtype);
  if (!id) return;
  const Dims have = build_.type(*id).dims;
  const bool number = value.val.is_static();
  if (build_.type(*id).dtype != wanted.dtype || (!number && !same_set(have, wanted.dims))) {
    report(diag(DiagKind::wrong_update, "the new value of `" + name.text + "` has another type")
               .at(value.span, show(value.val))
               .also(binding->declared,
                     "the state is " + std::string(mtfc::name(wanted.dtype)) + show(wanted.dims)));
    return;
  }
  const ValueId ordered = at(value.span).broadcast(*id, wanted.dims);
  graph_.outputs.push_back(
      {Output::Kind::variable, binding->path, at(value.span).stop_gradient(ordered)});
}

}  // namespace mtfc::elab
