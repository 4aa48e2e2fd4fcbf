// Planted mistakes: everything that can be changed about one instruction of a lowered program.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "ir/module.h"

namespace mtfc::test {

struct Mutation {
  std::size_t program = 0, instruction = 0;  // numbers in the module
  std::string what;                          // "result scaled", "body[2].value by 1e-3"
  std::function<void(Module&)> apply;
};

/// In the order of the programs, the same for every call. Each changes one instruction: it is left
/// out, moved, has its result changed by 1e-3 of it, another operand of the same type, or exchanged
/// ones; or a field of it is another one.
std::vector<Mutation> mutations_of(const Module& module);

}  // namespace mtfc::test
