// Where every value of a Program lives: a table beside it, which stays SSA.
//
// Values live in one arena per program, at offsets found from their lifetimes; variables live
// outside it, for as long as the module. A plan is a function of the program and of how much room
// each value takes, so a simulated mesh (all copies side by side) and one real processor share it.
#pragma once
#include <cstdint>
#include <vector>

#include "bind/frames.h"
#include "ir/module.h"

namespace mtfc::bind {

struct BufferLocation {
  enum class Kind : std::uint8_t {
    none,      // never stored
    arena,     // at byte `offset` of the program's arena
    variable,  // the memory of variable number `variable`
  };
  Kind kind = Kind::none;
  std::int64_t offset = 0;
  int variable = -1;
  friend bool operator==(const BufferLocation&, const BufferLocation&) = default;
};

/// How a Write takes effect. Every Read sees the value before the step.
struct WritePlan {
  std::size_t instruction = 0;
  ValueId value;
  int variable = -1;
  /// The value is computed in the variable's own memory, which nobody reads any more: no copy.
  bool direct = false;
  /// Copied here at the Write, because `value` is another variable's memory that may be overwritten
  /// before the end; copied from here, or from `value`, to the variable at the end.
  BufferLocation staging;
};

/// What lies in the arena from instruction `begin` to instruction `end`, both included.
struct Occupied {
  ValueId value;  // the first that has this memory; not valid: what instruction `begin` needs
                  // beside its values
  std::int64_t bytes = 0;
  std::size_t begin = 0, end = 0;
};

struct Plan {
  std::vector<BufferLocation> values;  // by ValueId; aliases share a place
  std::vector<std::int64_t> scratch;   // by instruction: offset in the arena, -1 if it needs none
  std::vector<WritePlan> writes;       // in program order
  std::int64_t arena_bytes = 0;
  std::vector<Frame> frames;  // as the repeats
  std::vector<Occupied>
      occupied;  // of what is in no frame; a value in another's place begins where that ends
};

/// `repeats`: parts whose iterations are to find their values alike; they must not overlap.
Plan make_plan(const Module& module, const Program& program, const Room& room,
               const std::vector<Repeat>& repeats = {});

}  // namespace mtfc::bind
