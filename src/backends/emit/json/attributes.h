// The fields of instructions as JSON, each by its type.
#pragma once
#include <nlohmann/json.hpp>

#include "ir/module.h"

namespace mtfc::backends {

using Json = nlohmann::ordered_json;

Json attributes_json(const Module& module, const InstructionKind& kind);
/// Element type, dimensions with their shards, and what it is partial over.
Json type_json(const Module& module, const ShardType& type);

}  // namespace mtfc::backends
