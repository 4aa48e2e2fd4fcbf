// The fields of instructions as JSON, each by its type.
#pragma once
#include <nlohmann/json.hpp>

#include "ir/module.h"

namespace mtfc::backends {

using Json = nlohmann::ordered_json;

Json attributes_json(const Module& module, const InstructionKind& kind);
Json axes_json(const Module& module, const std::vector<AxisId>& axes);  // names

}  // namespace mtfc::backends
