// Where the values of a repeated part of a program stand, so that one piece of code serves all of
// its iterations: at one offset in a frame, or as a parameter (docs/emit.md).
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "bind/repeats.h"
#include "ir/module.h"

namespace mtfc::bind {

/// The buffers of a part of the program that has several iterations.
struct Frame {
  static constexpr std::int64_t kParameter = -1;
  Repeat repeat;
  /// By instruction of an iteration: which buffer each operand, then each result, is in. All
  /// iterations agree.
  std::vector<std::vector<int>> buffers;
  std::vector<std::int64_t> offsets;  // by buffer: from the iteration's base, or kParameter
  std::vector<std::int64_t> lengths;  // by buffer, in bytes
  std::vector<std::int64_t> scratch;  // by instruction of an iteration: from the base, -1 if none
  std::vector<std::int64_t> bases;    // by iteration: offset in the arena
  std::int64_t bytes = 0;
};

/// How much room things take. Offsets are multiples of 64.
struct Room {
  std::function<std::int64_t(ValueId)> value;        // bytes of all copies
  std::function<std::int64_t(std::size_t)> scratch;  // bytes, by instruction
  std::function<bool(std::size_t)> alias;            // result i is operand i's memory
  /// Off: no value is computed in the place of another, so that results can be blanked before.
  bool in_place = true;
};

/// What the planner of a program knows of its values, by root: the value whose memory it is.
struct Lifetimes {
  std::function<ValueId(ValueId)> root;
  std::function<bool(ValueId root)> in_variable;            // its home is a variable's memory
  std::function<std::size_t(ValueId root)> made, last_use;  // instructions
  std::function<bool(std::size_t i, ValueId dying, ValueId result)> can_replace;
};

/// The buffers of a repeat, before any iteration has a base.
Frame make_frame(const Program& program, const Repeat& repeat, const Room& room,
                 const Lifetimes& lifetimes);

}  // namespace mtfc::bind
