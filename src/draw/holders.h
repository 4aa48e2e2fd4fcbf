// Which processors hold which shard of a tensor.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ir/type.h"

namespace mtfc::draw {

/// By dimension of the tensor: the number of a shard along it; -1: any.
using ShardIndex = std::vector<std::int64_t>;

struct Holders {
  std::int64_t count = 0;
  std::vector<std::int64_t> ranks;  // ascending; of very many only the first ones
};

/// The processors that hold a shard.
Holders holders(const Mesh& mesh, const ShardType& type, const ShardIndex& shard);

/// "0-3", "0,8,..,56", "0,1,4,5", "64 ranks"; in `width` characters if that is at least 9.
std::string ranks_text(const Holders& holders, std::size_t width);

/// Of a value that is partial, what is added: "0 + 1", "(0,2) + (1,3)"; else the ranks alone.
std::string holders_text(const Mesh& mesh, const ShardType& type, const ShardIndex& shard,
                         std::size_t width);

}  // namespace mtfc::draw
