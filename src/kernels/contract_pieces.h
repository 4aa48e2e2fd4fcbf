// Contractions whose dense copies would take much memory, cut in pieces that are computed one after
// the other. Products of f16 and bf16 go through copies in f32, twice as large as the tensors.
#pragma once
#include <cstdint>
#include <vector>

#include "kernels/contract_plan.h"

namespace mtfc::runtime {

/// Of all copies that one call of a kernel makes, in bytes, if cutting can achieve it. Larger
/// pieces convert less twice: a piece of the rows takes all of the columns' operand.
constexpr std::int64_t kMostCopyBytes = 256 << 20;

/// Some of a contraction's results, all terms of each.
struct ContractPiece {
  ContractSpec spec;
  std::int64_t offsets[3] = {};  // of its a, b and c in those of the whole, in bytes
};

/// Bytes of the copies that one call of `plan` makes.
std::int64_t bytes_of_copies(const ContractPlan& plan);

/// Pieces of `spec` whose copies come nearer to `most`; none if it is best left whole. A piece may
/// have pieces itself. They do not depend on who computes them, so neither do bits.
std::vector<ContractPiece> pieces_of(const ContractSpec& spec, const ContractPlan& plan,
                                     std::int64_t most);

}  // namespace mtfc::runtime
