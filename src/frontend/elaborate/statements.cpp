// Statements: dispatch, dimensions, constants, instances, choice.
#include "frontend/elaborate/statements.h"

#include "frontend/elaborate/blocks.h"
#include "frontend/elaborate/builtins.h"
#include "frontend/elaborate/expressions.h"
#include "frontend/elaborate/names.h"
#include "frontend/elaborate/note_symbols.h"
#include "frontend/elaborate/report.h"
#include "frontend/elaborate/train_settings.h"

namespace mtfc::elab {

namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

/// Statements of the file itself, outside blocks and `repeat`.
bool only_in_file(Context& cx, Span keyword, const std::string& what) {
  if (!cx.now.scope->frame->block && cx.now.scope == &cx.file_scope) return true;
  report(cx, diag(DiagKind::misplaced,
                  what + " belongs in the file itself, not inside a block or `repeat`")
                 .at(keyword));
  return false;
}

/// What is looked for before statements are gone through, and hence not found in these.
void refuse_declarations(Context& cx, const ast::Body& body, const std::string& inside) {
  if (cx.now.scope != &cx.file_scope) return;  // they are refused where they stand
  for (const ast::StatementId id : body) {
    const ast::Statement& statement = cx.now.file->at(id);
    const bool is_use = std::holds_alternative<ast::Use>(statement.node);
    if (!is_use && !std::holds_alternative<ast::BlockDecl>(statement.node)) continue;
    report(cx, diag(DiagKind::misplaced, std::string(is_use ? "`use`" : "`block`") +
                                             " belongs in the file itself, not inside " + inside)
                   .at(statement.keyword));
  }
}

/// Where `dim` and `const` written here are bound: the file's stand where its blocks see them.
Scope& home_of_dims(Context& cx) {
  return cx.now.scope == &cx.file_scope ? statics(cx, *cx.now.scope->module) : *cx.now.scope;
}

void exec_dims(Context& cx, const ast::DimDecl& decl) {
  for (const ast::Sized& d : decl.dims) {
    announce(cx, d.name, d.value, Binding::Kind::dim, home_of_dims(cx));
    find_binding(cx, d.name.text, d.name.span);  // computes it, used or not
  }
}

void exec_consts(Context& cx, const ast::ConstDecl& decl) {
  for (const ast::Sized& c : decl.consts) {
    announce(cx, c.name, c.value, Binding::Kind::constant, home_of_dims(cx));
    find_binding(cx, c.name.text, c.name.span);
  }
}

void exec_instance(Context& cx, const ast::InstanceDecl& decl) {
  ast::Call call;
  call.callee = decl.block;
  bool failed = false;
  const auto ref = find_block(cx, call, failed);
  if (!ref || ref->shared) {
    if (failed) return;
    if (!find_builtin(decl.block.text)) return unknown_callable(cx, call);
    report(cx,
           diag(DiagKind::wrong_arguments, "`" + decl.block.text + "` is an operation, not a block")
               .at(decl.block.span, "it owns nothing that could be shared")
               .help("call it where it is needed"));
    return;
  }
  const auto [it, fresh] = cx.now.scope->instances.try_emplace(decl.name.text);
  if (!fresh) {
    report(cx, diag(DiagKind::defined_twice, "`" + decl.name.text + "` is already an instance")
                   .at(decl.name.span)
                   .also(it->second.declared, "declared here"));
    return;
  }
  Scope paths;
  reserve(cx, paths, decl.instance.text, decl.name.span, false);
  note_name(cx, Symbol::Kind::instance, decl.name, paths.owner_path);
  note_name(cx, Symbol::Kind::label, decl.instance, paths.owner_path);
  it->second = {ref->module,      ref->block, decl.name.span, paths.path,
                paths.owner_path, 0,          paths.label,    &cx.now.scope->segments[paths.label]};
}

void exec_return(Context& cx, const ast::Return& statement) {
  Frame& frame = *cx.now.scope->frame;
  if (!frame.block) {
    report(cx, diag(DiagKind::misplaced, "`return` outside a block")
                   .at(cx.expr(statement.values[0]).span));
    return;
  }
  Val::Values values;
  for (ast::ExprId id : statement.values) {
    values.push_back(eval(cx, id));
    frame.returned_spans.push_back(cx.expr(id).span);
  }
  frame.done = true;
  frame.returned = values.size() == 1 ? values[0] : Val{std::move(values)};
}

/// What a choice that could not be made would have defined: nothing more is said about it.
void define_as_poison(Context& cx, const ast::Body& body) {
  for (const ast::StatementId id : body) {
    const auto& node = cx.now.file->at(id).node;
    if (const auto* assign = std::get_if<ast::Assign>(&node))
      for (const ast::Target& target : assign->targets) assign_name(cx, target.name, {});
    if (const auto* choice = std::get_if<ast::If>(&node)) {
      define_as_poison(cx, choice->then_body);
      if (choice->else_body) define_as_poison(cx, *choice->else_body);
    }
  }
}

void exec_if(Context& cx, const ast::If& statement) {
  refuse_declarations(cx, statement.then_body, "`if`");
  if (statement.else_body) refuse_declarations(cx, *statement.else_body, "`if`");
  const auto condition = static_condition(cx, statement.condition);
  if (!condition) {
    define_as_poison(cx, statement.then_body);
    if (statement.else_body) define_as_poison(cx, *statement.else_body);
    return;
  }
  if (!*condition && !statement.else_body) return;
  const ast::Body& taken = *condition ? statement.then_body : *statement.else_body;
  announce_dims(cx, taken, home_of_dims(cx));
  exec(cx, taken);
}

void exec_recompute(Context& cx, const ast::Recompute& statement) {
  refuse_declarations(cx, statement.body, "`recompute`");
  const int before = cx.build.role.recompute;
  std::vector<int>& parents = cx.session.model.recompute_parents;
  cx.build.role.recompute = static_cast<int>(parents.size());
  parents.push_back(before);
  announce_dims(cx, statement.body, home_of_dims(cx));
  exec(cx, statement.body);
  cx.build.role.recompute = before;
}

void exec_statement(Context& cx, const ast::Statement& statement) {
  const Span keyword = statement.keyword;
  std::visit(Overloaded{
                 [&](const ast::Use&) { only_in_file(cx, keyword, "`use`"); },
                 [&](const ast::DimDecl& s) { exec_dims(cx, s); },
                 [&](const ast::ConstDecl& s) { exec_consts(cx, s); },
                 [&](const ast::DataDecl& s) {
                   if (only_in_file(cx, keyword, "`data`")) exec_data(cx, s);
                 },
                 [&](const ast::InputDecl& s) {
                   if (only_in_file(cx, keyword, "`input`")) exec_input(cx, s);
                 },
                 [&](const ast::ParamDecl& s) { exec_param(cx, s); },
                 [&](const ast::StateDecl& s) { exec_state(cx, s); },
                 [&](const ast::Update& s) { exec_update(cx, s); },
                 [&](const ast::InstanceDecl& s) { exec_instance(cx, s); },
                 [&](const ast::BlockDecl&) { only_in_file(cx, keyword, "`block`"); },
                 [&](const ast::Return& s) { exec_return(cx, s); },
                 [&](const ast::Repeat& s) { exec_repeat(cx, s, keyword, statement.span); },
                 [&](const ast::Recompute& s) { exec_recompute(cx, s); },
                 [&](const ast::Scan&) { not_supported(cx, keyword, "`scan`"); },
                 [&](const ast::If& s) { exec_if(cx, s); },
                 [&](const ast::Loss& s) {
                   exec_output(cx, s.name ? &*s.name : nullptr, s.value, true, keyword);
                 },
                 [&](const ast::Metric& s) { exec_output(cx, &s.name, s.value, false, keyword); },
                 [&](const ast::Generate& s) {
                   if (only_in_file(cx, keyword, "`generate`"))
                     exec_generate(cx, s, statement.span);
                 },
                 [&](const ast::Train& s) {
                   if (only_in_file(cx, keyword, "`train`")) read_train_settings(cx, &s, keyword);
                 },
                 [&](const ast::Assign& s) { s.sampled ? exec_sample(cx, s) : exec_assign(cx, s); },
             },
             statement.node);
}

}  // namespace

void exec(Context& cx, const ast::Body& body) {
  for (ast::StatementId id : body) {
    if (cx.now.scope->frame->done || cx.stopped) return;
    const ast::Statement& statement = cx.now.file->at(id);
    if (too_much(cx, statement.keyword)) return;
    exec_statement(cx, statement);
  }
}

}  // namespace mtfc::elab
