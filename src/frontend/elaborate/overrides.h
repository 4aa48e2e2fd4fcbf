// -D and --set: read before the model, checked after it.
#pragma once
#include "frontend/elaborate/session.h"

namespace mtfc::elab {

/// Registers and parses -D or --set entries (`option`). Text that is no expression stays text for
/// --set.
void read_overrides(Session& session, const std::string& option,
                    const std::vector<std::pair<std::string, std::string>>& entries,
                    std::deque<Override>& into);
/// A -D or --set that changed nothing is a mistake.
void check_overrides(Session& session);

}  // namespace mtfc::elab
