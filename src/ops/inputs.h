// What a graph reads: fields of data sources, variables.
#pragma once
#include "ir/graph.h"

namespace mtfc::ops {

/// The name of an `input`; null for other operations.
const std::string* input_name(const Operation& op);
/// The name of the input that a value is, seen through what only renames or passes it on; null: it
/// is none.
const std::string* viewed_input(const Graph& graph, ValueId value);
/// The path of the variable that a `read` reads; null for other operations.
const std::string* variable_read(const Operation& op);

}  // namespace mtfc::ops
