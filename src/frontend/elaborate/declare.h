// A parameter or state as declared, ready to be created.
#pragma once
#include "frontend/elaborate/elaborator.h"

namespace mtfc::elab {

struct Elaborator::VariableDecl {
  Variable::Kind kind{};
  ast::Name name;
  Span shape_span;
  TensorType type;
  bool typed = false;  // the type was written
  bool drawn = false;  // `~`
  ast::ExprId init;
};

}  // namespace mtfc::elab
