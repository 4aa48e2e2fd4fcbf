// Where the values of a repeated part of a program stand, so that one piece of code serves all of
// its turns: at one offset in a frame, or as a parameter (docs/emit.md).
#pragma once
#include <functional>

#include "bind/memory_plan.h"
#include "bind/repeats.h"

namespace mtfc::backends {

/// What the planner of a program knows of its values, by root: the value whose memory it is.
struct Lifetimes {
  std::function<ValueId(ValueId)> root;
  std::function<bool(ValueId root)> in_variable;            // its home is a variable's memory
  std::function<std::size_t(ValueId root)> made, last_use;  // instructions
  std::function<bool(std::size_t i, ValueId dying, ValueId result)> can_replace;
};

/// The buffers of a repeat, before any turn has a base.
Frame make_frame(const Program& program, const Repeat& repeat, const Room& room,
                 const Lifetimes& lifetimes);

}  // namespace mtfc::backends
