#include "frontend/elaborate/context.h"

namespace mtfc::elab {

Context::Context(Session& s, bool with_training, Graph& g)
    : session(s),
      training(with_training),
      graph(g),
      build(g, s.model.dims),
      affine(g, s.model.dims) {
  const Module& main = s.modules.front();
  file_frame.root = &file_scope;
  file_scope.frame = &file_frame;
  file_scope.module = &main;
  now = {&main.file, &file_scope, nullptr};
}

}  // namespace mtfc::elab
