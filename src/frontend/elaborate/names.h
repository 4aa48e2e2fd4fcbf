// What names stand for: scopes, bindings, and dimensions and constants that are computed when first
// needed.
#pragma once
#include <string>
#include <vector>

#include "frontend/elaborate/context.h"

namespace mtfc::elab {

/// The dimensions and constants of a file, as all its blocks see them.
Scope& statics(Context& cx, const Module& module);
/// Makes the dims and consts of a list of statements known before their lines.
void announce_dims(Context& cx, const ast::Body& body, Scope& scope);
void announce(Context& cx, const ast::Name& name, ast::ExprId formula, Binding::Kind kind,
              Scope& scope);
/// Computes a dimension or constant that is needed for the first time.
void settle(Context& cx, const std::string& name, Binding& binding, Scope& home);

/// What a name stands for at `use`, from the innermost scope outwards, then the constants of used
/// files; null if nothing.
Binding* find_binding(Context& cx, const std::string& name, Span use);
/// The value of a name in an expression; mistakes are reported.
Val name_value(Context& cx, const ast::Name& name);
std::vector<std::string> visible_names(const Context& cx, bool dims_only);

/// Binds a name once, in the innermost scope; null (reported) if it is bound already.
Binding* declare_name(Context& cx, const ast::Name& name, Binding binding);
/// `name = e`: rebinds a tensor where it lives, or defines it here.
void assign_name(Context& cx, const ast::Name& name, Val val);

}  // namespace mtfc::elab
