// The form of `plan` that reads a problem instead of a model.
#pragma once
#include "cli/session/session.h"

namespace mtfc::cli {

int plan_problem(Session& session);

}  // namespace mtfc::cli
