// Changes to one field of an instruction, found by going over its field list.
#pragma once
#include <string>
#include <vector>

#include "ir/module.h"

namespace mtfc::test {

/// What can be changed, in an order of its own: "axis another", "body[2].value by 1e-3",
/// "reduced shorter".
std::vector<std::string> field_mutations(const InstructionKind& kind, const Module& module);
/// Makes change number `number`.
void mutate_field(InstructionKind& kind, const Module& module, std::size_t number);

}  // namespace mtfc::test
