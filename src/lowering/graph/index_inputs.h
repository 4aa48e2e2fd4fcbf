// Which int inputs of a model are indices, and below which size they must be.
#pragma once
#include <string>
#include <vector>

#include "ir/model.h"

namespace mtfc::lowering {

/// The input's values index `dim`; if it indexes several dimensions, the smallest.
struct IndexInput {
  std::string input;
  DimId dim;
};

/// Inputs that look something up as they are fed, renamed or in part: ids in a table, classes in a
/// cross entropy. Look-ups with a value for indices that are outside do not count.
std::vector<IndexInput> find_index_inputs(const Model& model);

}  // namespace mtfc::lowering
