// What a graph reads: fields of data sources, variables.
#pragma once
#include "ir/graph.h"

namespace mtfc::ops {

/// The name of an `input`; null for other operations.
const std::string* input_name(const Operation& op);
/// The path of the variable that a `read` reads; null for other operations.
const std::string* variable_read(const Operation& op);

}  // namespace mtfc::ops
