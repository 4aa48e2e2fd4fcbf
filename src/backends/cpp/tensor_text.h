// A whole tensor and its shard as a C++ initialiser (runtime/net/sharded.h).
#pragma once
#include <string>

#include "backends/bind/shard_view.h"

namespace mtfc::backends {

std::string tensor_text(const Context& context, const ShardType& type, int indent);

}  // namespace mtfc::backends
