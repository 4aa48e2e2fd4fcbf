// Waiting for what was started asynchronously.
#pragma once
#include "ir/program.h"

namespace mtfc::lowering {

/// The wait for a collective of the program, whose results get values of their own.
/// `whole`: by value, what its wait gives; grows with the program's values.
Instruction wait_for(Program& program, const Instruction& started, std::vector<ValueId>& whole);

}  // namespace mtfc::lowering
