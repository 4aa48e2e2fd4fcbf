// What an instruction moves to and from memory.
#pragma once
#include <vector>

#include "bind/bind.h"

namespace mtfc::cost {

/// Bytes that an instruction reads of each operand and then writes of each result; what selects
/// from an operand reads what it takes.
std::vector<double> moved_bytes(const InstrContext& context, const bind::Bound& bound);

}  // namespace mtfc::cost
