// The instructions. One header each says all that is known about it:
// - the struct, a plain value; `kName`, as in dumps and JSON; `fields` (fields.h).
// A new instruction is a header, its include and its entry in the variant below, and its binding
// (src/bind/bind.cpp).
#pragma once
#include <variant>

#include "ir/instr/all_gather.h"
#include "ir/instr/all_reduce.h"
#include "ir/instr/all_to_all.h"
#include "ir/instr/await.h"
#include "ir/instr/concat.h"
#include "ir/instr/contract.h"
#include "ir/instr/gather.h"
#include "ir/instr/host.h"
#include "ir/instr/map.h"
#include "ir/instr/permute.h"
#include "ir/instr/prefix_sum.h"
#include "ir/instr/put.h"
#include "ir/instr/rearrange.h"
#include "ir/instr/reduce.h"
#include "ir/instr/reduce_scatter.h"
#include "ir/instr/shard.h"
#include "ir/instr/slice.h"
#include "ir/instr/top_places.h"
#include "ir/instr/variable.h"
#include "ir/instr/window.h"

namespace mtfc {

using InstructionKind =
    std::variant<Map, Contract, Reduce, Rearrange, Slice, Pad, Gather, ScatterAdd, Put, Window,
                 WindowAdd, PrefixSum, TopPlaces, Concat, Shard, AllReduce, ReduceScatter, Await,
                 AllGather, AllToAll, Permute, Read, Write, Feed, Fetch>;

/// "map", "contract", ..., as in dumps.
std::string_view name(const InstructionKind& kind);
/// True for the collectives that send messages: all_reduce .. permute (not shard).
bool is_collective(const InstructionKind& kind);
/// Of an all_reduce or a reduce_scatter; null for others.
Summing* summing(InstructionKind& kind);
const Summing* summing(const InstructionKind& kind);

}  // namespace mtfc
