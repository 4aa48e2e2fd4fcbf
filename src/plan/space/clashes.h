// Names of dimensions that one axis cannot split both: found by trying, as `mtfc check` does it.
#pragma once
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/model.h"

namespace mtfc::plan {

/// Pairs of names that stand together in a value or in what an operation takes and makes: of others
/// no rules can clash. Each pair in both orders.
std::set<std::pair<std::string, std::string>> names_together(const Model& model);

/// Whether general rules that split all of these over one axis put two dimensions of one tensor or
/// operation on it.
bool clashes(const Model& model, const std::vector<std::string>& dims);

/// Where they do: paths of block instances, "layers.*.attn" (iterations are alike), and "" for
/// inputs and what is in no block. A block whose scope names one of them may have both.
std::set<std::string> clashing_blocks(const Model& model, const std::vector<std::string>& dims);

}  // namespace mtfc::plan
