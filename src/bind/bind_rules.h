// What each instruction becomes: one rule per instruction, for bind() alone.
#pragma once
#include "bind/bind.h"

namespace mtfc::backends {

/// The shards that an instruction reads and makes.
struct Shards {
  const Context& context;
  std::vector<ShardView> operands, results;
  std::vector<const ShardType*> operand_types, result_types;

  Shards(const Context& context, const Program& program, const Instruction& instruction);
};

// compute.cpp
Bound bind_rule(const Map& map, const Shards& shards);
Bound bind_rule(const Contract& contract, const Shards& shards);
Bound bind_rule(const Reduce& reduce, const Shards& shards);

// moves.cpp
Bound bind_rule(const Rearrange& rearrange, const Shards& shards);
Bound bind_rule(const Slice& slice, const Shards& shards);
Bound bind_rule(const Pad& pad, const Shards& shards);
Bound bind_rule(const Shard& shard, const Shards& shards);
Bound bind_rule(const Concat& concat, const Shards& shards);

// lookup.cpp
Bound bind_rule(const Gather& gather, const Shards& shards);
Bound bind_rule(const ScatterAdd& scatter, const Shards& shards);
Bound bind_rule(const Put& put, const Shards& shards);

// scan.cpp
Bound bind_rule(const Window& kind, const Shards& shards);
Bound bind_rule(const WindowAdd& kind, const Shards& shards);
Bound bind_rule(const PrefixSum& prefix, const Shards& shards);
Bound bind_rule(const TopK& top, const Shards& shards);

// collectives.cpp
Bound bind_rule(const AllReduce& reduce, const Shards& shards);
Bound bind_rule(const ReduceScatter& scatter, const Shards& shards);
Bound bind_rule(const AllGather& gather, const Shards& shards);
Bound bind_rule(const AllToAll& exchange, const Shards& shards);
Bound bind_rule(const Permute& permute, const Shards& shards);
inline Bound bind_rule(const Wait&, const Shards&) { return Completion{}; }

// The border of a program.
inline Bound bind_rule(const Read&, const Shards&) { return Edge{}; }
inline Bound bind_rule(const Write&, const Shards&) { return Edge{}; }
inline Bound bind_rule(const Feed&, const Shards&) { return Edge{}; }
inline Bound bind_rule(const Fetch&, const Shards&) { return Edge{}; }

}  // namespace mtfc::backends
