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

/// By path of block instances, "layers.*.attn" (iterations are alike) and "" for what is in none:
/// the sets of names of dimensions of values with examples that are made there, and of parameters.
using BlockTypes = std::map<std::string, std::set<std::vector<std::string>>>;
BlockTypes block_types(const Model& model);

/// `choice` with `dim` split further over `axis` in every block whose values allow it. Nothing if
/// the axis is never in its way, or always, or splits `dim` already. `given`: rules that hold
/// besides.
std::optional<Choice> split_where_free(const Choice& choice, const std::string& dim,
                                       const std::string& axis, const BlockTypes& blocks,
                                       const std::vector<Split>& given = {});

}  // namespace mtfc::plan
