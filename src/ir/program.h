// Program: one processor's view. SSA over shards, straight-line, a closed set of instructions.
// Nothing here names a processor or a size: both follow from the types (the law, type.h).
#pragma once
#include <string>
#include <variant>
#include <vector>

#include "ir/attrs.h"
#include "ir/graph.h"
#include "ir/origin.h"
#include "ir/type.h"
#include "support/scalar.h"

namespace mtfc {

// ---------------------------------------------------------------- local
/// Elementwise over the result's dimensions. Operands are read by name: in any storage order, and
/// broadcast along dimensions that they lack. All results have the same dimensions and sharding.
struct Map {
  struct Random {
    Draw draw{};
    double a = 0, b = 0;
    std::int64_t key = 0;   // hash of (seed, path), as bits
    DimList dims;           // the draw's own (global) shape; subset of the result's
    int step_operand = -1;  // operand holding the i32 step; -1: step 0
    // Position i along `numbered` counts as first + every * i, where the operand holds the i32
    // first
    // (-1: 0). So that draws do not depend on the batch size of evaluations, nor on micro-batches.
    int first_operand = -1;
    DimId numbered;  // one of dims; not valid: none
    std::int64_t every = 1;
    friend bool operator==(const Random&, const Random&) = default;
  };
  ScalarProgram body;
  DimList index_leaves;  // leaf number -> dimension
  std::vector<Random> random_leaves;
  friend bool operator==(const Map&, const Map&) = default;
};
/// Binary product summed over `reduced`. If a reduced dimension is split, the result is partial.
struct Contract {
  DimList reduced;
  friend bool operator==(const Contract&, const Contract&) = default;
};
struct Reduce {
  Combine kind{};
  DimList reduced;
  friend bool operator==(const Reduce&, const Reduce&) = default;
};
/// Renames, splits and merges dimensions: no data moves between processors.
struct Rearrange {
  std::vector<DimGroup> groups;
  friend bool operator==(const Rearrange&, const Rearrange&) = default;
};
/// x[dim = begin : begin + size(fresh) -> fresh]; dim is whole.
struct Slice {
  DimId dim, fresh;
  std::int64_t begin = 0;
  friend bool operator==(const Slice&, const Slice&) = default;
};
/// The adjoint of slice: zeros of dim's size with x at `begin`; x has `fresh`, the result `dim`.
struct Pad {
  DimId fresh, dim;
  std::int64_t begin = 0;
  friend bool operator==(const Pad&, const Pad&) = default;
};
/// Operands x, index...: index number j replaces dimension dims[j]. Out of range gives `fill`. If
/// an indexed dimension is split, the result is partial.
struct Gather {
  DimList dims;
  double fill = 0;
  friend bool operator==(const Gather&, const Gather&) = default;
};
/// Operands y, index...: the adjoint of Gather; the result has `dims`, and lacks `reduced` (the
/// dimensions of y that the index tensors brought). Sums over equal places.
struct ScatterAdd {
  DimList dims;
  DimList reduced;
  friend bool operator==(const ScatterAdd&, const ScatterAdd&) = default;
};

/// Operands y, x, position (an i32 scalar): y with the entry x at `position` along `dim`. x has
/// `entry`, of size 1, instead of `dim`. Outside the dimension nothing is put. If dim is split,
/// only the owner of the position changes anything.
struct Put {
  DimId dim, entry;
  friend bool operator==(const Put&, const Put&) = default;
};
/// x with each item's dimension read at an affine place; outside of the dimension: `fill`. The
/// result has the items' dimensions in place of the indexed ones, which are whole in x.
struct Window {
  std::vector<WindowItem> items;
  double fill = 0;
  friend bool operator==(const Window&, const Window&) = default;
};
/// The adjoint of Window: sums of y over equal places. The result has the indexed dimensions,
/// whole, and lacks `reduced` (the items' dimensions that y has and the result has not, or has
/// indexed).
struct WindowAdd {
  std::vector<WindowItem> items;
  DimList reduced;
  friend bool operator==(const WindowAdd&, const WindowAdd&) = default;
};
/// Sums along `dim`, which is whole, up to each place; `exclusive`: without the place itself;
/// `reverse`: from the end.
struct PrefixSum {
  DimId dim;
  bool exclusive = false, reverse = false;
  friend bool operator==(const PrefixSum&, const PrefixSum&) = default;
};
/// The places along `dim` of size(ranks) elements in descending order, from rank `first` (0: the
/// largest) on, as i32; the first of equal ones first, NaN last. `dim` and `ranks` are whole.
struct TopPlaces {
  DimId dim, ranks;
  std::int64_t first = 0;
  friend bool operator==(const TopPlaces&, const TopPlaces&) = default;
};
/// The operands one after the other along `dim`. Operand i has parts[i] in its place; without
/// `parts` every operand is one element of `dim`. All of them are whole.
struct Concat {
  DimList parts;
  DimId dim;
  friend bool operator==(const Concat&, const Concat&) = default;
};

// ---------------------------------------------------------------- data movement
/// Each processor keeps its own block of `dim` along `axis`: a local slice, no message.
struct Shard {
  DimId dim;
  AxisId axis;
  friend bool operator==(const Shard&, const Shard&) = default;
};
/// How a sum over processors is carried out.
struct Summing {
  bool by_library = false;  // the network's library may add, in an order of its own
  bool begun = false;       // begun here; its results are complete after their Await
  friend bool operator==(const Summing&, const Summing&) = default;
};
/// Partial over `axes` -> complete. Several operands: one bucket.
struct AllReduce {
  Combine kind{};
  std::vector<AxisId> axes;
  Summing how{};
  friend bool operator==(const AllReduce&, const AllReduce&) = default;
};
/// Partial over `axis` -> complete and split: a dimension of each operand, dims[i] of operand i,
/// gets `axis` as its minor-most axis. Several operands, which are partial alike: one bucket.
struct ReduceScatter {
  Combine kind{};
  DimList dims;
  AxisId axis;
  Summing how{};
  friend bool operator==(const ReduceScatter&, const ReduceScatter&) = default;
};
/// Operands: the results of one sum that was begun, which nothing else reads, then its operands,
/// which it may have been reading until now. Results: the first, complete.
struct Await {
  friend bool operator==(const Await&, const Await&) = default;
};
/// dims[i] of operand i gives up `axis`, its minor-most axis. Several operands: as ReduceScatter.
struct AllGather {
  DimList dims;
  AxisId axis;
  friend bool operator==(const AllGather&, const AllGather&) = default;
};
/// dim `from` gives up `axis`, dim `to` takes it (minor-most both).
struct AllToAll {
  DimId from, to;
  AxisId axis;
  friend bool operator==(const AllToAll&, const AllToAll&) = default;
};
/// Dimensions exchange their minor-most axes for others, which cut them into as many blocks: each
/// processor receives one whole block. `to` may hold axes along which the value was replicated,
/// those that other dimensions give up, and the same ones in another order.
struct Permute {
  struct Change {
    DimId dim;
    std::vector<AxisId> from, to;  // major to minor
    friend bool operator==(const Change&, const Change&) = default;
  };
  std::vector<Change> changes;
  friend bool operator==(const Permute&, const Permute&) = default;
};

// ---------------------------------------------------------------- edges
/// The value of a variable before the step.
struct Read {
  std::string variable;
  friend bool operator==(const Read&, const Read&) = default;
};
/// Operand becomes the variable's value after the step.
struct Write {
  std::string variable;
  friend bool operator==(const Write&, const Write&) = default;
};
/// What the host hands in each run: an input of the model, or an i32 scalar: "step", "steps" (how
/// many the run has), "examples" (how many of the batch are real), "first_example" (the number of
/// the batch's first one), "part" (the number of the micro-batch), "position" (of the newest token,
/// in generation).
struct Feed {
  std::string name;
  friend bool operator==(const Feed&, const Feed&) = default;
};
/// Operand goes to the host under (kind, name). Scalars are replicated; tensors keep their
/// sharding.
struct Fetch {
  Output::Kind kind{};
  std::string name;
  friend bool operator==(const Fetch&, const Fetch&) = default;
};

/// A new kind does not compile until every backend answers for it: visit without default.
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

struct ProgramValue {
  ShardType type;
  std::string name;  // a hint from the model, for readable code; not unique
};

struct Instruction {
  InstructionKind kind;
  std::vector<ValueId> operands;
  std::vector<ValueId> results;
  Origin origin;
};

struct Program {
  std::string name;
  std::vector<ProgramValue> values;
  std::vector<Instruction> instructions;

  const ProgramValue& at(ValueId id) const { return values[id.at()]; }
};

}  // namespace mtfc
