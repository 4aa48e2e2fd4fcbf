// What one collective does to the shards of one processor, as plain numbers: what
// specs of kernels are for instructions that move data between processors. The same values drive
// the simulated mesh and emitted programs.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/copy.h"
#include "support/collective_traffic.h"
#include "support/combine.h"

namespace mtfc::runtime {

/// The processors that differ only on `axes` form a group; within it they are numbered row-major
/// over `axes`. Every processor cuts its operand into blocks; block number r goes to processor r of
/// the group, and what comes from processor r becomes block r of the result, or is added up.
struct ExchangeSpec {
  enum class Kind : std::uint8_t { all_reduce, reduce_scatter, all_gather, all_to_all, permute };
  Kind kind{};
  DType dtype{};
  Combine combine{};            // all_reduce, reduce_scatter
  std::vector<int> axes;        // mesh axis numbers, ascending
  std::int64_t group_size = 1;  // processors in a group
  // A block: its extents and strides in the operand's and in the result's shard, and the distance
  // between blocks r and r + 1 there (0: there is only one block).
  std::vector<std::int64_t> extents, source_strides, result_strides;
  std::int64_t source_step = 0, result_step = 0;
  std::int64_t source_elements = 0, result_elements = 0;  // of the shards
  // permute: `axes` in two orders, major to minor. The processor that is number r over `held` sends
  // its shard to the one that is number r over `wanted`.
  std::vector<int> held = {}, wanted = {};
  // Sums between real processors (the simulated mesh adds at once, in order): the network's library
  // may add, where it can; started here and waited for later.
  bool by_library = false, async = false;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("kind", self.kind);
    f("dtype", self.dtype);
    f("combine", self.combine);
    f("axes", self.axes);
    f("group_size", self.group_size);
    f("extents", self.extents);
    f("source_strides", self.source_strides);
    f("result_strides", self.result_strides);
    f("source_step", self.source_step);
    f("result_step", self.result_step);
    f("source_elements", self.source_elements);
    f("result_elements", self.result_elements);
    f("held", self.held);
    f("wanted", self.wanted);
    f("by_library", self.by_library);
    f("async", self.async);
  }
};
std::string_view name(ExchangeSpec::Kind kind);

/// From a processor's coordinates to those of the one that is over `to` what this one is over
/// `from`: permute's sender is over `held` what the receiver is over `wanted`. `sizes`: of all
/// axes.
void renumber(const std::vector<int>& from, const std::vector<int>& to,
              const std::vector<std::int64_t>& sizes, std::int64_t* coordinates);

/// Elements of one block.
std::int64_t block_elements(const ExchangeSpec& spec);
/// Blocks that a processor's operand is divided into, and that its result consists of: one for each
/// processor of the group, or 1.
std::int64_t source_blocks(const ExchangeSpec& spec);
std::int64_t result_blocks(const ExchangeSpec& spec);
/// True if the blocks of the operand are dense, so that they need not be copied to be sent.
bool source_blocks_dense(const ExchangeSpec& spec);
bool result_blocks_dense(const ExchangeSpec& spec);
/// What a collective counts as moved: the operand's shard; all_gather: the result's.
std::int64_t counted_elements(const ExchangeSpec& spec);

/// All blocks of the operand into a buffer, each dense, `step` elements from one to the next; and
/// from such a buffer to where they belong in the result.
CopySpec pack(const ExchangeSpec& spec, std::int64_t step);
CopySpec unpack(const ExchangeSpec& spec, std::int64_t step);
/// Straight from the operand's block to the result's, where both are in one memory.
CopySpec transfer(const ExchangeSpec& spec);

// --- Between real ranks: no library adds unless it is asked to, so that bits do not depend on it.
// A sum is an exchange of blocks, each added in ascending order by its owner, and a gathering of
// the results; a small one is gathered whole and added by every rank. Ranks that share memory
// (comm/block_collective.h) need no buffers for it; they have them all the same.

/// Whether an all_reduce is so small that it gathers everything.
bool gathers_all(const ExchangeSpec& spec);

// --- A bucket: collectives of one kind, type and group, of a tensor each, that travel as one.

/// The bucket as one exchange between dense buffers: block r of its operand holds the blocks r of
/// all operands, one after the other, and so does its result.
ExchangeSpec packed(const std::vector<ExchangeSpec>& bucket);
/// True if a single tensor is sent from where it is (received where it goes), since its blocks are
/// adjacent there as in a buffer.
bool sends_in_place(const std::vector<ExchangeSpec>& bucket);
bool receives_in_place(const std::vector<ExchangeSpec>& bucket);
/// Bytes that one processor needs for the buffers, and for blocks on their way.
std::int64_t bucket_scratch(const std::vector<ExchangeSpec>& bucket);

/// Elements that one processor sends to others (the first one; a last part may be shorter) for a
/// collective that counts `moved` (counted_elements) among n; `few`: gathers_all. Numbers or
/// formulas (cost/symbolic).
template <class Number>
Number sent_elements(ExchangeSpec::Kind kind, const Number& moved, const Number& n, bool few) {
  if (kind == ExchangeSpec::Kind::permute) return moved;
  if (kind == ExchangeSpec::Kind::all_reduce) return all_reduce_sent(moved, n, few);
  return block_of(moved, n) * (n - 1);
}
std::int64_t sent_elements(const ExchangeSpec& spec);
/// Bytes that one processor sends for a bucket.
std::int64_t sent_bytes(const std::vector<ExchangeSpec>& bucket);

}  // namespace mtfc::runtime
