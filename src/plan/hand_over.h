// An axis handed over, in some blocks, from a dimension of inputs to one of their parameters: what
// a block computes is then split over the parameters and not over the examples, and what goes in
// and out of it is sent from all to all. With experts in the place of the dimension it is expert
// parallelism (docs/layouts.md); nothing here knows them.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>

#include "ir/model.h"
#include "plan/choice.h"

namespace mtfc::plan {

/// By path of block instances, "layers.*.moe.experts" (iterations are alike): the names of the
/// dimensions of parameters that everything with examples has which the block takes or makes, and
/// no input. None: the block is not listed.
using SharedDims = std::map<std::string, std::set<std::string>>;
SharedDims shared_dims(const Model& model);

/// `choice` with `dim` split further over `axis` in every block that has it as a shared dimension,
/// and no other dimension over that axis there. Nothing if the axis splits no dimension of examples
/// (names in `examples`), splits `dim` already, or no block has it.
std::optional<Choice> hand_over(const Choice& choice, const std::string& dim,
                                const std::string& axis, const SharedDims& blocks,
                                const std::set<std::string>& examples);

}  // namespace mtfc::plan
