// One instruction as C++: a comment that says where it comes from, and a call of the runtime.
#pragma once
#include <functional>
#include <string>

#include "backends/emit/cpp/bound_program.h"

namespace mtfc::backends {

/// How the code around an instruction calls what the instruction needs.
struct Names {
  /// Value number `k` of the instruction: operands, then results.
  std::function<std::string(std::size_t k)> value;
  std::function<std::string()> scratch;
  /// Of a map with random numbers: an argument with the keys of its samples; empty: the spec's own.
  std::function<std::string(std::size_t samples)> keys;
};

std::string statement_text(const BoundProgram& program, std::size_t i, const Names& names);

/// "arena(64)" or "variable(3)".
std::string slot_text(const bind::BufferLocation& location);

}  // namespace mtfc::backends
