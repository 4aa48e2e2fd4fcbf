#include "frontend/elaborate/elaborator.h"

namespace mtfc::elab {

Elaborator::Elaborator(Session& session, bool training, Graph& graph)
    : session_(session),
      training_(training),
      graph_(graph),
      build_(graph, session.model.dims),
      affine_(graph, session.model.dims) {
  const Module& main = session.modules.front();
  file_frame_.root = &file_scope_;
  file_scope_.frame = &file_frame_;
  file_scope_.module = &main;
  now_ = {&main.file, &file_scope_, false, nullptr, {}};
  file_scope_.parent = &statics(main);
}

void Elaborator::run() {
  exec(session_.modules.front().file.body);
  if (stopped_) return;
  Span whole{now_.file->file, 0, 0};
  read_train_settings(nullptr, whole);
  collect_used();
  give_names();
}

}  // namespace mtfc::elab
