// A dimension split over an axis wherever no other dimension has that axis: general rules for the
// model, scopes for the blocks where they would clash. Sequence parallelism is this for positions,
// beside tensor parallelism (docs/layouts.md); nothing here knows either.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/model.h"
#include "plan/space/choice.h"

namespace mtfc::plan {

/// Of a block instance, without what is nested in it.
struct BlockNames {
  /// The sets of names of dimensions of values with examples that are made there, and of
  /// parameters.
  std::set<std::vector<std::string>> types;
  /// By name of a dimension: the names that general rules may not put on an axis with it, since
  /// something of this block has both. A scope of the block that names either may.
  std::map<std::string, std::set<std::string>> clashing;
};
/// By path, "layers.*.attn" (iterations are alike) and "" for inputs and what is in none.
using NamedBlocks = std::map<std::string, BlockNames>;
/// `dims`: names of the dimensions that are to be split where they are free.
NamedBlocks named_blocks(const Model& model, const std::vector<std::string>& dims);

/// `choice` with `dim` split further over `axis` in every block whose values allow it; what is in
/// no block has it if that is legal there. Nothing if the axis is never in its way, or always, or
/// splits `dim` already. `given`: rules that hold besides.
std::optional<Choice> split_where_free(const Choice& choice, const std::string& dim,
                                       const std::string& axis, const NamedBlocks& blocks,
                                       const std::vector<Split>& given = {});

}  // namespace mtfc::plan
