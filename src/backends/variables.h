// A module's variables as engines list them.
#pragma once
#include <vector>

#include "ir/module.h"
#include "runtime/engine.h"

namespace mtfc::backends {

std::vector<runtime::VariableInfo> variables_of(const Module& module);

}  // namespace mtfc::backends
