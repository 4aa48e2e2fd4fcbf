// Passes over one Program; each has a file of its own.
#pragma once
#include "ir/module.h"

namespace mtfc::lowering {

/// Joins maps over the same dimensions, so that what lies between them is never stored: a producer
/// is taken into its consumers if it reads no tensor (constants, positions, random numbers) or has
/// a single consumer; producer and consumer become one map with several results if both are needed
/// later.
void fuse_maps(Program& program);

/// Sums over the first dimension of what maps make stand behind these maps, which can then be
/// fused.
void delay_sums(Program& program);

/// Elementwise values of the forward pass that only maps of the backward pass read are computed
/// again there, where all that they are computed from is kept anyway.
void rematerialize_maps(Program& program, const DimTable& dims);

/// Products with few terms that are much larger than their factors, and maps of them, are computed
/// again in the backward pass, where the factors are kept anyway. `all`: else only those that run
/// tile by tile.
void rematerialize_products(Program& program, const DimTable& dims, const Mesh& mesh, bool all);

/// Products that micro-batches add up are added as they are computed: they are not stored, nor
/// rounded to the type of their factors.
void add_products(Program& program);

/// What is added to a sum at indices is added in the memory of the sum, not scattered into zeros
/// first; products of which a gradient is the sum, too. So gradients of what a `repeat`
/// reads entry by entry, or uses in each iteration, take one buffer and one pass over it.
void add_onto(Program& program);

/// A sum of products of elements along memory becomes a contraction: the products are not stored.
void contract_products(Program& program);

/// Casts between f32 and the 16-bit types that contractions, reductions and maps do by themselves:
/// sums read f16 and bf16 as they are stored and give f32 where that is wanted; a statistic that
/// maps narrow is handed to them in f32.
void fold_casts(Program& program);

/// all_reduce over one axis whose only use, views aside, is a shard along that axis: a
/// reduce_scatter, where its operand is made.
void scatter_reductions(Program& program);

/// An all_gather, used by nothing but views and maps in front of a reduction of its dimension,
/// goes: shards are reduced, and their results are all_reduced, where these are smaller than a
/// shard. Sums are added in another order then, as under a rule that splits the dimension.
void gather_reduce(Program& program, const DimTable& dims, const Mesh& mesh);

/// Equal collectives (and shards) of one value become one.
void share_moves(Program& program);

/// What is moved and then cast to a narrower type is cast before it is moved.
void narrow_moves(Program& program);

/// Gradients in 16 bits that the update wants in f32 are cast before they are added over
/// processors.
void widen_sums(Program& program);

/// Sums of gradients (f32, of use to the update alone) in bf16 on the wire.
void compress_gradients(Program& program);

/// Orders the update so that what all parameters reduce at one point stands together.
void batch_updates(Program& program);

/// All-reduces, reduce-scatters and all-gathers of small tensors over the same axes wait for each
/// other, until the first of them is used, and become one with several operands; one that needs
/// another's result waits for its like, too. The bits are those of each alone.
void bucket_collectives(Program& program, const DimTable& dims);

/// Products that are much larger than their factors, and what is computed with them until products
/// take them up, become one instruction that runs tile by tile: scores of attention are not stored.
void tile_products(Program& program, const DimTable& dims, const Mesh& mesh);

/// Sums of gradients are started where they are made and waited for where they are used.
void overlap_sums(Program& program);

/// Gathers of what is read are started ahead of their use and waited for there: at most so many
/// gathers ahead, since each needs memory of its own.
constexpr std::size_t kGathersAhead = 4;
void overlap_gathers(Program& program);

/// Of `init`: shards of what a map makes of no tensor are made as shards, by maps of their own.
void sample_shards(Program& program);

/// Of `init`: what a write needs and no write before it stands right before it.
void order_first_values(Program& program);

/// Drops instructions that nothing needs and values that no instruction makes.
void prune(Program& program);

}  // namespace mtfc::lowering
