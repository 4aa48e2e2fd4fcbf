// A program on its way to C++: what its instructions are bound to, which parts of it repeat, and
// where its values stand.
#pragma once
#include <string>
#include <vector>

#include "backends/emit/cpp/inputs_text.h"
#include "bind/bind.h"
#include "bind/memory_plan.h"
#include "ir/module.h"

namespace mtfc::backends {

struct BoundProgram {
  const Module& module;
  const Program& program;
  const SourceMap& sources;
  bind::Context context;
  const std::vector<FedInput> inputs;  // of the whole module
  std::vector<bind::Bound> bound;      // by instruction
  bind::Plan plan;                     // its frames are the program's repeats

  BoundProgram(const Module& module, const Program& program, const SourceMap& sources);

  const Instruction& at(std::size_t i) const { return program.instructions[i]; }
  const ShardType& type(ValueId id) const { return program.at(id).type; }
  std::int64_t bytes(ValueId id) const;
  /// Value number `k` of an instruction: operands, then results.
  ValueId value(std::size_t i, std::size_t k) const;
  /// "f32 {8, 32}": a shard.
  std::string shard_text(ValueId id) const;
  /// Where a block of the model begins anew, as far as its path says; 0: it goes on.
  int block_begins(std::size_t i) const;
};

}  // namespace mtfc::backends
