// Statements: each kind has one function, in the file named beside it.
#pragma once
#include "frontend/elaborate/context.h"

namespace mtfc::elab {

/// Runs statements in order until a `return`.
void exec(Context& cx, const ast::Body& body);

void exec_assign(Context& cx, const ast::Assign& assign);  // assign_target.cpp
void exec_sample(Context& cx, const ast::Assign& assign);  // samples.cpp
void exec_param(Context& cx, const ast::ParamDecl& decl);  // declare.cpp
void exec_state(Context& cx, const ast::StateDecl& decl);
void exec_update(Context& cx, const ast::Update& update);
void exec_data(Context& cx, const ast::DataDecl& decl);  // sources.cpp
void exec_input(Context& cx, const ast::InputDecl& decl);
void exec_repeat(Context& cx, const ast::Repeat& repeat, Span keyword, Span statement);
void exec_generate(Context& cx, const ast::Generate& generate, Span span);
/// `loss` and `metric`: scalars that leave the graph (outputs.cpp).
void exec_output(Context& cx, const ast::Name* name, ast::ExprId value, bool loss, Span keyword);

}  // namespace mtfc::elab
