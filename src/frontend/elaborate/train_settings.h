// The `train` block with --set laid over it.
#pragma once
#include "frontend/elaborate/context.h"

namespace mtfc::elab {

/// Seed and precision, needed before the first parameter, without a word about mistakes.
void read_early_settings(Context& cx);
/// At the position of the `train` block, or at the end if there is none (null).
void read_train_settings(Context& cx, const ast::Train* train, Span span);

}  // namespace mtfc::elab
