// A parameter or state as declared, ready to be created.
#pragma once
#include <string>

#include "frontend/elaborate/context.h"

namespace mtfc::elab {

struct VariableDecl {
  Variable::Kind kind{};
  ast::Name name;
  Span shape_span;
  TensorType type;
  bool typed = false;    // the type was written
  bool sampled = false;  // `~`
  ast::ExprId init;
};

/// Builds the initial value into Model::init; false if there is a mistake, reported (samples.cpp).
bool initialise(Context& cx, const VariableDecl& decl, const std::string& path,
                const TensorType& type);

}  // namespace mtfc::elab
