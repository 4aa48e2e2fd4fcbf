// A repeated part of a program as one function, and its calls (docs/emit.md).
#pragma once
#include <string>
#include <vector>

#include "backends/emit/cpp/bound_program.h"

namespace mtfc::backends {

struct BlockText {
  const bind::Frame* frame = nullptr;
  std::string function;
  std::string definition;       // empty: an iteration does nothing
  std::vector<int> parameters;  // buffers that the function takes, in order
  std::size_t keys = 0;         // of samples
};

/// The frame outlives the result.
BlockText block_text(const BoundProgram& program, const bind::Frame& frame);

/// Calls of iterations that follow each other.
std::string iterations_text(const BoundProgram& program, const BlockText& block, std::size_t first,
                            std::size_t count);

}  // namespace mtfc::backends
