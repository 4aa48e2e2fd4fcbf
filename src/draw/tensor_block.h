// A tensor as a block, cut as a layout cuts it, with the ranks that hold each shard.
#pragma once
#include <string>

#include "draw/picture.h"
#include "ir/type.h"

namespace mtfc::draw {

struct BlockStyle {
  std::int64_t most = 8;  // shards along a side that are shown; of more, the first and the last
  bool outline = false;   // what rank 0 holds
};

/// Two dimensions are its sides, those that are split before those that are not; further ones that
/// are split make several panels. What is left is said below. A shard has the colour of the lowest
/// rank that holds it, so that what one rank holds of several tensors looks alike.
Picture tensor_block(const DimTable& dims, const Mesh& mesh, const std::string& name,
                     const ShardType& type, const BlockStyle& style);

}  // namespace mtfc::draw
