#include "kernels/contract_pieces.h"

#include <algorithm>
#include <optional>

namespace mtfc::runtime {
namespace {

constexpr std::int64_t kRowsOfPiece = 64;  // pieces of more than two of these are multiples

std::int64_t bytes_of_copies(const ContractPlan& plan, int tensor) {
  return plan.packed[tensor] ? round_up(product(plan.pack[tensor]) * bytes_of(plan.compute), 64)
                             : 0;
}

/// Of the copies that every piece along `factor` makes whole: of tensors without it.
std::int64_t bytes_of_whole(const ContractPlan& plan, const ContractSpec::Factor& factor) {
  const std::int64_t strides[] = {factor.a, factor.b, factor.c};
  std::int64_t bytes = 0;
  for (int t = 0; t < 3; ++t) bytes += strides[t] == 0 ? bytes_of_copies(plan, t) : 0;
  return bytes;
}

using Group = std::vector<ContractSpec::Factor> ContractSpec::*;
constexpr Group kGroupsOfResult[] = {&ContractSpec::batch, &ContractSpec::m, &ContractSpec::n};

/// The map that converts the results writes one run of memory: pieces are of the outermost factor.
bool can_cut(const ContractSpec& spec, const ContractPlan& plan,
             const ContractSpec::Factor& factor) {
  if (spec.c == plan.compute) return true;
  for (const Group group : kGroupsOfResult) {
    for (const ContractSpec::Factor& other : spec.*group)
      if (other.extent > 1 && other.c > factor.c) return false;
  }
  return true;
}

struct Cut {
  Group group = nullptr;
  std::size_t factor = 0;
  std::int64_t extent = 1;  // of a piece
};

std::int64_t extent_of_piece(std::int64_t extent, std::int64_t count) {
  const std::int64_t each = ceil_div(extent, count);
  return each >= 2 * kRowsOfPiece ? each / kRowsOfPiece * kRowsOfPiece : each;
}

/// Along the factor that leaves the smallest copies.
std::optional<Cut> best_cut(const ContractSpec& spec, const ContractPlan& plan, std::int64_t most) {
  const std::int64_t all = bytes_of_copies(plan);
  std::int64_t least = all;
  std::optional<Cut> best;
  for (const Group group : kGroupsOfResult) {
    for (std::size_t f = 0; f < (spec.*group).size(); ++f) {
      const ContractSpec::Factor& factor = (spec.*group)[f];
      if (!can_cut(spec, plan, factor)) continue;
      const std::int64_t whole = bytes_of_whole(plan, factor);
      const std::int64_t wanted =
          whole < most ? ceil_div(all - whole, most - whole) : ceil_div(all, most);
      const std::int64_t count = std::min(factor.extent, wanted);
      if (whole + (all - whole) / count >= least) continue;
      least = whole + (all - whole) / count;
      best = {group, f, extent_of_piece(factor.extent, count)};
    }
  }
  return best;
}

}  // namespace

std::int64_t bytes_of_copies(const ContractPlan& plan) {
  return bytes_of_copies(plan, 0) + bytes_of_copies(plan, 1) + bytes_of_copies(plan, 2);
}

std::vector<ContractPiece> pieces_of(const ContractSpec& spec, const ContractPlan& plan,
                                     std::int64_t most) {
  if (bytes_of_copies(plan) <= most) return {};
  const std::optional<Cut> cut = best_cut(spec, plan, most);
  if (!cut) return {};
  const ContractSpec::Factor whole = (spec.*cut->group)[cut->factor];
  std::vector<ContractPiece> pieces;
  for (std::int64_t begin = 0; begin < whole.extent; begin += cut->extent) {
    ContractPiece piece{spec};
    (piece.spec.*cut->group)[cut->factor].extent = std::min(cut->extent, whole.extent - begin);
    piece.offsets[0] = begin * whole.a * bytes_of(spec.a);
    piece.offsets[1] = begin * whole.b * bytes_of(spec.b);
    piece.offsets[2] = begin * whole.c * bytes_of(spec.c);
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

}  // namespace mtfc::runtime
