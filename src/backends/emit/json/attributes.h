// The attributes of each kind of instruction as JSON.
#pragma once
#include <nlohmann/json.hpp>

#include "ir/module.h"

namespace mtfc::backends {

using Json = nlohmann::ordered_json;

Json attributes_json(const Module& module, const InstructionKind& kind);
Json dims_json(const Module& module, const DimList& dims);  // names
Json axes_json(const Module& module, const std::vector<AxisId>& axes);

}  // namespace mtfc::backends
