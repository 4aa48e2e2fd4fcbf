// A whole tensor and its shard as a C++ initialiser (comm/sharded.h).
#pragma once
#include <string>

#include "bind/shard_view.h"

namespace mtfc::backends {

std::string tensor_text(const bind::Context& context, const ShardType& type, int indent);

}  // namespace mtfc::backends
