// Why no layout fits: the smallest set of constraints that do not go together, and what would do.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "plan/search/search.h"
#include "support/json.h"

namespace mtfc::cli {

struct Conflict {
  /// "--memory 20GB", "--processors 8", "--keep part.layout": without one of them the others can be
  /// met.
  std::vector<std::string> constraints;
  std::int64_t processors = 0;  // with so many it fits; 0: none was found that does
};

/// Whether a layout was found that fits on so many processors, with or without what is kept.
using Fits = std::function<bool(std::int64_t processors, bool keeping)>;

/// `memory`, `mesh`, `keep`: the constraints as they were given; `keep` is empty if nothing is
/// kept. `can_grow`: the mesh is not kept.
Conflict find_conflict(const std::string& memory, const std::string& mesh, const std::string& keep,
                       std::int64_t processors, bool can_grow, const Fits& fits);

std::string conflict_text(const Conflict& conflict, const plan::Plan& plan);
JsonFields conflict_json(const Conflict& conflict);

}  // namespace mtfc::cli
