// What lowering gives: the programs, and beside them the graphs that they were made from.
#pragma once
#include <vector>

#include "ir/module.h"
#include "support/special_members.h"

namespace mtfc {

/// For backends that want whole tensors: graphs[i] became module.programs[i], and value v of it is
/// split as shardings[i][v] says. Dimensions, mesh, variables and inputs are the module's. Both are
/// empty for a module that was read from a dump.
struct Compilation {
  MTFC_DECLARE_SPECIAL_MEMBERS(Compilation, noexcept(false));
  explicit Compilation(Module made);

  std::vector<Graph> graphs;
  std::vector<std::vector<Sharding>> shardings;
  Module module;
};

}  // namespace mtfc
