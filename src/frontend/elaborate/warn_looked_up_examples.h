// Look-ups of examples by numbers that stand in files, as edges of a graph have them.
#pragma once
#include "frontend/elaborate/context.h"

namespace mtfc::elab {

/// Training permutes the examples of files, so that a number in another file names another one in
/// each epoch.
void warn_looked_up_examples(Session& session);

}  // namespace mtfc::elab
