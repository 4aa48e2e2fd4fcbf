// An axis handed over, in some blocks, from a dimension of inputs to one of their parameters: what
// a block computes is then split over the parameters and not over the examples, and what goes in
// and out of it is sent from all to all. With experts in the place of the dimension it is expert
// parallelism (docs/layouts.md); nothing here knows them.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/model.h"
#include "plan/space/choice.h"

namespace mtfc::plan {

/// By path of block instances, "layers.*.moe.experts" (iterations are alike).
struct SharedDims {
  /// Names of the dimensions of parameters that everything with examples has which the block takes
  /// or makes, and no input. None: the block is not listed.
  std::map<std::string, std::set<std::string>> dims;
  std::map<std::string, std::vector<std::string>> of_parameters;  // all names, of listed blocks
};
SharedDims shared_dims(const Model& model);

/// `choice` with `dim` split further over `axes` in every block that has it as a shared dimension,
/// and no dimension of examples over these there or within; a scope that `choice` has of it is
/// taken over. Several are in the order of the mesh, and given up in
/// turns, the last one first. Nothing if one of them splits no dimension of examples (names in
/// `examples`), or splits `dim` already, or no block has it.
std::optional<Choice> hand_over(const Choice& choice, const std::string& dim,
                                const std::vector<std::string>& axes, const SharedDims& blocks,
                                const std::set<std::string>& examples);

}  // namespace mtfc::plan
