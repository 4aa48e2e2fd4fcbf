// Instruction + types -> what the kernels get: the one place where named dimensions become strides.
// Used by the simulated mesh and by emitted programs alike.
#pragma once
#include <variant>
#include <vector>

#include "bind/shard_view.h"
#include "comm/exchange_spec.h"
#include "ir/program.h"
#include "kernels/kernels.h"

namespace mtfc::bind {

/// The result is the operand's memory under another name.
struct Alias {};
/// read, write, feed, fetch: the border of a program; who runs it knows what stands there.
struct Edge {};
/// An async sum ends here; each result is its operand's memory.
struct Completion {};
/// One exchange per operand (a bucket has several).
using Exchanges = std::vector<runtime::ExchangeSpec>;
/// Copy number i takes operand number i to its place in the one result.
using CopyList = std::vector<runtime::CopySpec>;

using Bound = std::variant<Alias, Edge, Completion, CopyList, Exchanges
#define MTFC_KERNEL(function, Spec) , runtime::Spec
#include "kernels/kernels.def"
#undef MTFC_KERNEL
                           >;

/// True if each result is the memory of the operand with its number.
bool is_alias(const Bound& bound);
/// True of a contraction, unless it only sums products of elements, and of tiles of contractions.
bool is_product(const Bound& bound);

Bound bind(const Context& context, const Program& program, const Instruction& instruction);
/// By instruction.
std::vector<Bound> bind_all(const Context& context, const Program& program);
/// Bytes that an exchange needs beside its tensors; 0 where it is asynchronous, and brings its own.
std::int64_t scratch_of(const Exchanges& bucket);
std::int64_t scratch_of(const Bound& bound);

/// A processor's shard out of the whole tensor (x whole, y shard), and back.
runtime::CopySpec slice_spec(const Context& context, const ShardType& type);
runtime::CopySpec assemble_spec(const Context& context, const ShardType& type);

}  // namespace mtfc::bind
