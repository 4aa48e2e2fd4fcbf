// What is wrong with the environment (support/environment.h).
#pragma once
#include "cli/session/session.h"

namespace mtfc::cli {

/// Notes values that nothing obeys.
void note_environment(const Session& session);

}  // namespace mtfc::cli
