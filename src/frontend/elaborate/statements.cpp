// Statements: dispatch, declarations of names, choice, outputs.
#include "frontend/elaborate/elaborator.h"

namespace mtfc::elab {

namespace {
template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;
}  // namespace

void Elaborator::exec(const ast::Body& body) {
  for (ast::StatementId id : body) {
    if (now_.scope->frame->done || stopped_) return;
    const ast::Statement& statement = now_.file->at(id);
    if (too_much(statement.keyword)) return;
    exec(statement);
  }
}

void Elaborator::exec(const ast::Statement& statement) {
  const Span keyword = statement.keyword;
  std::visit(Overloaded{
                 [&](const ast::Use&) { only_in_file(keyword, "`use`"); },
                 [&](const ast::DimDecl& s) { exec_dims(s); },
                 [&](const ast::ConstDecl& s) { exec_consts(s); },
                 [&](const ast::DataDecl& s) {
                   if (only_in_file(keyword, "`data`")) exec_data(s);
                 },
                 [&](const ast::InputDecl& s) {
                   if (only_in_file(keyword, "`input`")) exec_input(s);
                 },
                 [&](const ast::ParamDecl& s) { exec_param(s); },
                 [&](const ast::StateDecl& s) { exec_state(s); },
                 [&](const ast::Update& s) { exec_update(s); },
                 [&](const ast::InstanceDecl& s) { exec_instance(s); },
                 [&](const ast::BlockDecl&) { only_in_file(keyword, "`block`"); },
                 [&](const ast::Return& s) { exec_return(s); },
                 [&](const ast::Repeat& s) { exec_repeat(s, keyword, statement.span); },
                 [&](const ast::Recompute& s) { exec_recompute(s); },
                 [&](const ast::Scan&) { not_supported(keyword, "`scan`"); },
                 [&](const ast::If& s) { exec_if(s); },
                 [&](const ast::Loss& s) {
                   exec_output(s.name ? &*s.name : nullptr, s.value, true, keyword);
                 },
                 [&](const ast::Metric& s) { exec_output(&s.name, s.value, false, keyword); },
                 [&](const ast::Generate& s) {
                   if (only_in_file(keyword, "`generate`")) exec_generate(s, statement.span);
                 },
                 [&](const ast::Train& s) {
                   if (only_in_file(keyword, "`train`")) read_train_settings(&s, keyword);
                 },
                 [&](const ast::Assign& s) { s.drawn ? exec_draw(s) : exec_assign(s); },
             },
             statement.node);
}

/// Statements of the file itself, outside blocks and `repeat`.
bool Elaborator::only_in_file(Span keyword, const std::string& what) {
  if (!now_.scope->frame->block && now_.scope == &file_scope_) return true;
  report(
      diag(DiagKind::misplaced, what + " stands in the file itself, not inside a block or `repeat`")
          .at(keyword));
  return false;
}

// ---------------------------------------------------------------- dims, consts, instances
/// Where `dim` and `const` written here are bound: the file's stand where its blocks see them.
Scope& Elaborator::home_of_dims() {
  return now_.scope == &file_scope_ ? statics(*now_.scope->module) : *now_.scope;
}

void Elaborator::exec_dims(const ast::DimDecl& decl) {
  for (const ast::Sized& d : decl.dims) {
    announce(d.name, d.value, Binding::Kind::dim, home_of_dims());
    find(d.name.text, d.name.span);  // computes it, used or not
  }
}

void Elaborator::exec_consts(const ast::ConstDecl& decl) {
  for (const ast::Sized& c : decl.consts) {
    announce(c.name, c.value, Binding::Kind::constant, home_of_dims());
    find(c.name.text, c.name.span);
  }
}

void Elaborator::exec_instance(const ast::InstanceDecl& decl) {
  ast::Call call;
  call.callee = decl.block;
  bool failed = false;
  const auto ref = find_block(call, failed);
  if (!ref || ref->shared) {
    if (!failed) unknown_callable(call);
    return;
  }
  const auto [it, fresh] = now_.scope->instances.try_emplace(decl.name.text);
  if (!fresh) {
    report(diag(DiagKind::defined_twice, "`" + decl.name.text + "` is already an instance")
               .at(decl.name.span)
               .also(it->second.declared, "declared here"));
    return;
  }
  Scope paths;
  reserve(paths, decl.instance.text, decl.name.span, false);
  it->second = {ref->module, ref->block, decl.name.span, paths.path, paths.owner_path, 0};
}

// ---------------------------------------------------------------- assignment
void Elaborator::exec_assign(const ast::Assign& assign) {
  Dims declared;
  const Context before = now_;
  if (assign.targets.size() == 1) now_.target = assign.targets[0].name.text;
  const bool lists = assign.targets.size() == 1 && assign.targets[0].shape;
  if (lists) {
    // For the warning about unions only: mistakes in the list are reported when it is bound.
    for (const ast::DimItem& item : assign.targets[0].shape->items) {
      const Binding* b =
          item.kind == ast::DimItem::Kind::name ? find(item.name.text, item.span) : nullptr;
      if (b && b->kind == Binding::Kind::dim)
        declared.insert(declared.end(), b->dims.begin(), b->dims.end());
    }
    now_.declared = &declared;
  }
  const Operand value = operand(assign.value);
  now_ = before;
  if (assign.targets.size() == 1) {
    bind_target(assign.targets[0], value);
    return;
  }
  const Val::Values* values = value.val.values();
  if (!value.val.poison() && (!values || values->size() != assign.targets.size())) {
    report(diag(DiagKind::wrong_result,
                std::to_string(assign.targets.size()) + " names for " +
                    (values ? std::to_string(values->size()) + " values" : "one value"))
               .at(value.span)
               .also(assign.targets[0].name.span, "assigned to these"));
    values = nullptr;
  }
  for (std::size_t i = 0; i < assign.targets.size(); ++i)
    bind_target(assign.targets[i],
                {values && !value.val.poison() ? (*values)[i] : Val{}, value.span});
}

void Elaborator::bind_target(const ast::Target& target, const Operand& value) {
  std::optional<Dims> dims;
  bool fine = true;
  if (target.shape) {
    dims = shape(*target.shape, target.name.text);
    fine = dims.has_value();
  }
  if (value.val.values()) {
    report(diag(DiagKind::wrong_result,
                std::to_string(value.val.values()->size()) + " values for one name")
               .at(value.span)
               .help("take all of them: `a, b = ...`"));
    fine = false;
  }
  std::optional<Val> val;
  if (fine && !value.val.poison()) val = conform(target, dims ? &*dims : nullptr, value);
  assign(target.name, val ? *val : Val{});
}

/// The value as its left side declares it: exactly these dimensions and this type.
std::optional<Val> Elaborator::conform(const ast::Target& target, const Dims* dims,
                                       const Operand& given) {
  if (!dims && !target.dtype) return given.val;
  const auto dtype = declared_type(target.dtype);
  if (target.dtype && !dtype) return std::nullopt;
  const Operand value = dtype ? as_written(given, *dtype) : given;
  if (value.val.is_static() && !value.val.text()) {
    // A number fills the declared shape; without a type it is a float, as a parameter would be.
    const DType filled = dtype                 ? *dtype
                         : value.val.boolean() ? DType::boolean
                                               : session_.activation;
    const auto id = as_tensor(value, filled);
    if (!id) return std::nullopt;
    return Val{dims ? at(value.span).broadcast(*id, *dims) : *id};
  }
  if (!value.val.tensor()) {
    report(diag(DiagKind::type_mismatch,
                code(value.span) + " is " + show(value.val) + ", not a tensor")
               .at(value.span));
    return std::nullopt;
  }
  if (dtype && type(value).dtype != *dtype) {
    report(diag(DiagKind::type_mismatch, "`" + target.name.text + "` is declared " +
                                             std::string(name(*dtype)) + " and gets " +
                                             std::string(name(type(value).dtype)))
               .at(value.span, show(value.val))
               .also(target.dtype->span, "declared here")
               .help("cast it: `" + std::string(name(*dtype)) + "(...)`"));
    return std::nullopt;
  }
  if (!dims || dims_of(value.val) == *dims) return value.val;
  if (!same_set(dims_of(value.val), *dims)) {
    dims_differ(target, *dims, value);
    return std::nullopt;
  }
  const ValueId ordered = at(value.span).broadcast(*value.val.tensor(), *dims);
  return Val{ordered};
}

void Elaborator::dims_differ(const ast::Target& target, const Dims& declared,
                             const Operand& value) {
  const Dims& actual = dims_of(value.val);
  const Dims missing = without(declared, actual), extra = without(actual, declared);
  Diagnostic d = diag(DiagKind::dimensions_differ, "result has other dimensions than declared")
                     .at(value.span, "actual: " + (actual.empty() ? "no dimension" : names(actual)))
                     .also(target.shape->span,
                           "declared: " + (declared.empty() ? "no dimension" : names(declared)));
  if (!missing.empty()) d.notes.push_back("missing `" + names(missing) + "`");
  if (!extra.empty()) d.notes.push_back("extra `" + names(extra) + "`");
  bool summed = false;
  for (const ast::Expr& e : now_.file->exprs) {
    const auto* call = std::get_if<ast::Call>(&e.node);
    if (!call || !(e.span == value.span) || !call->over) continue;
    for (const ast::DimItem& item : call->over->items)
      for (DimId dim : missing)
        if (session_.model.dims[dim].name == item.name.text) {
          d.notes.push_back("`" + item.name.text + "` is summed away by `over " + item.name.text +
                            "`");
          summed = true;
        }
  }
  if (summed && !extra.empty())
    d.helps.push_back("sum over the other one: `over " + names(extra) + "`");
  else if (extra.empty())
    d.helps.push_back("to repeat it along `" + names(missing) + "` write `broadcast(... -> " +
                      names(declared) + ")`");
  report(std::move(d));
}

std::optional<DType> Elaborator::declared_type(const std::optional<ast::Name>& name) {
  if (!name) return std::nullopt;
  if (const auto dtype = dtype_named(name->text)) return machine(*dtype);
  Diagnostic d = diag(DiagKind::unknown_name, "`" + name->text + "` is not a type")
                     .at(name->span)
                     .note("types are f32, f64, f16, bf16, int and bool");
  suggest(d, *name, {"f32", "f64", "f16", "bf16", "int", "bool"});
  report(std::move(d));
  return std::nullopt;
}

// ---------------------------------------------------------------- control
void Elaborator::exec_return(const ast::Return& statement) {
  Frame& frame = *now_.scope->frame;
  if (!frame.block) {
    report(
        diag(DiagKind::misplaced, "`return` outside a block").at(expr(statement.values[0]).span));
    return;
  }
  Val::Values values;
  for (ast::ExprId id : statement.values) {
    values.push_back(eval(id));
    frame.returned_spans.push_back(expr(id).span);
  }
  frame.done = true;
  frame.returned = values.size() == 1 ? values[0] : Val{std::move(values)};
}

void Elaborator::exec_if(const ast::If& statement) {
  const auto condition = static_condition(statement.condition);
  if (!condition) return;
  if (!*condition && !statement.else_body) return;
  const ast::Body& taken = *condition ? statement.then_body : *statement.else_body;
  announce_dims(taken, home_of_dims());
  exec(taken);
}

void Elaborator::exec_recompute(const ast::Recompute& statement) {
  const int before = build_.origin.recompute;
  std::vector<int>& parents = session_.model.recompute_parents;
  build_.origin.recompute = static_cast<int>(parents.size());
  parents.push_back(before);
  announce_dims(statement.body, home_of_dims());
  exec(statement.body);
  build_.origin.recompute = before;
}

/// `loss` and `metric`: scalars that leave the graph.
void Elaborator::exec_output(const ast::Name* name, ast::ExprId value, bool loss, Span keyword) {
  if (!loss && training_) return;  // metrics are computed at evaluations only
  const std::string word = loss ? "loss" : "metric";
  const bool pooled = now_.pooled;
  now_.pooled = true;
  const Operand result = operand(value);
  now_.pooled = pooled;
  const std::string path = joined(now_.scope->owner_path, name ? name->text : "loss");
  const Span here = name ? name->span : keyword;
  Registered registered{here, {}};
  for (const Frame* f = now_.scope->frame; f && f->block; f = f->caller)
    registered.calls.push_back(f->call);
  if (!outputs_.try_emplace(path, registered).second) {
    loss_registered_twice(path, word, here);
    return;
  }
  if (result.val.poison()) return;
  auto id = as_float(result, "a " + word);
  if (!id) return;
  if (mixed()) id = at(result.span).cast(*id, DType::f32);
  if (!build_.type(*id).dims.empty()) {
    report(
        diag(DiagKind::not_scalar, "a " + word + " must be one number, and this one has dimensions")
            .at(result.span, show(result.val))
            .help("take `mean(...)` or `sum(...)` of it"));
    return;
  }
  graph_.outputs.push_back({loss ? Output::Kind::loss : Output::Kind::metric, path, *id});
}

/// By two statements, by two calls of one instance, or by two instances of one name.
void Elaborator::loss_registered_twice(const std::string& path, const std::string& word,
                                       Span here) {
  const Registered& first = outputs_.at(path);
  if (!(first.here == here)) {
    report(diag(DiagKind::path_used_twice, "two losses or metrics are named `" + path + "`")
               .at(here, "second")
               .also(first.here, "first")
               .help("name them: `" + word + " name = ...`"));
    return;
  }
  // The call that makes the difference: where the chains of calls part, from outside.
  std::vector<const Frame*> chain;
  for (const Frame* f = now_.scope->frame; f && f->block; f = f->caller) chain.push_back(f);
  std::size_t at = 0;
  bool parted = false;
  for (std::size_t i = 0; i < chain.size() && i < first.calls.size(); ++i) {
    const bool differs = !(chain[i]->call == first.calls[i]);
    if (differs || (!parted && chain[i]->shares)) at = i;
    parted = parted || differs;
  }
  if (!chain.empty()) {
    const Span call = chain[at]->call;
    if (!session_.reported_owners.insert({call.begin, call.end}).second) return;
  }
  Diagnostic d = diag(DiagKind::path_used_twice, "");
  if (chain.empty()) {
    d.message = "two losses or metrics are named `" + path + "`";
    d.at(here);
  } else if (chain[at]->shares) {
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
  if (!stopped_) session_.diagnostics.report(std::move(d));
}

}  // namespace mtfc::elab
