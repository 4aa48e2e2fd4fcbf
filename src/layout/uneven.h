// Dimensions whose size the axes that they are split over do not divide: they are padded.
#pragma once
#include <cstdint>
#include <vector>

#include "ir/layout.h"
#include "ir/model.h"

namespace mtfc::lowering {

/// A dimension and its size with padding at the end: the next multiple of every number of shards
/// that it is cut into anywhere in the model.
struct Uneven {
  DimId dim;
  std::int64_t size = 0;  // padded; > the dimension's own; may exceed what a dimension may have
};

/// In the order of the table. General rules, scopes, and how parameters are kept.
std::vector<Uneven> uneven_dims(const DimTable& dims, const std::vector<Variable>& variables,
                                const Assignment& assignment);

}  // namespace mtfc::lowering
