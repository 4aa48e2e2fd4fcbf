#include "draw/holders.h"

#include <algorithm>
#include <map>

#include "support/text.h"

namespace mtfc::draw {
namespace {

/// The number of the shard along a dimension that is split over these axes, major to minor.
std::int64_t shard_number(const Mesh& mesh, const std::vector<AxisId>& axes,
                          const std::vector<std::int64_t>& coordinates) {
  std::int64_t number = 0;
  for (const AxisId axis : axes) number = number * mesh.size(axis) + coordinates[axis.at()];
  return number;
}

bool holds(const Mesh& mesh, const ShardType& type, const ShardIndex& shard,
           const std::vector<std::int64_t>& coordinates) {
  for (std::size_t i = 0; i < shard.size(); ++i)
    if (shard[i] >= 0 && shard_number(mesh, type.sharding.split[i], coordinates) != shard[i])
      return false;
  return true;
}

/// The step of an arithmetic sequence; 0 if it is none.
std::int64_t step_of(const std::vector<std::int64_t>& ranks) {
  if (ranks.size() < 2) return 1;
  const std::int64_t step = ranks[1] - ranks[0];
  for (std::size_t i = 1; i < ranks.size(); ++i)
    if (ranks[i] - ranks[i - 1] != step) return 0;
  return step;
}

}  // namespace

std::vector<std::int64_t> holders(const Mesh& mesh, const ShardType& type,
                                  const ShardIndex& shard) {
  std::vector<std::int64_t> ranks;
  const std::int64_t count = mesh.processors();
  for (std::int64_t rank = 0; rank < count; ++rank)
    if (holds(mesh, type, shard, mesh.coordinates(rank))) ranks.push_back(rank);
  return ranks;
}

std::string ranks_text(const std::vector<std::int64_t>& ranks, std::size_t width) {
  if (ranks.empty()) return "";
  const std::string first = std::to_string(ranks.front()), last = std::to_string(ranks.back());
  if (ranks.size() == 1) return first;
  const std::int64_t step = step_of(ranks);
  if (step == 1 && ranks.size() > 2) return first + "-" + last;
  const std::string all =
      joined(ranks, ",", [](std::int64_t rank) { return std::to_string(rank); });
  if (all.size() <= std::min<std::size_t>(width, 16)) return all;
  const std::string sequence = first + "," + std::to_string(ranks[1]) + ",..," + last;
  if (step > 0 && sequence.size() <= width) return sequence;
  return std::to_string(ranks.size()) + " ranks";
}

std::string holders_text(const Mesh& mesh, const ShardType& type, const ShardIndex& shard,
                         std::size_t width) {
  const std::vector<std::int64_t> all = holders(mesh, type, shard);
  if (!type.sharding.is_partial()) return ranks_text(all, width);
  std::map<std::vector<std::int64_t>, std::vector<std::int64_t>> parts;  // by partial coordinates
  for (const std::int64_t rank : all) {
    const std::vector<std::int64_t> coordinates = mesh.coordinates(rank);
    std::vector<std::int64_t> part;
    for (const AxisId axis : type.sharding.partial) part.push_back(coordinates[axis.at()]);
    parts[part].push_back(rank);
  }
  const bool sum = type.sharding.combine == Combine::sum;
  const std::string text = joined(parts, sum ? " + " : " , ", [&](const auto& part) {
    const std::string ranks = ranks_text(part.second, width);
    return part.second.size() == 1 ? ranks : "(" + ranks + ")";
  });
  if (text.size() <= width) return text;
  return std::to_string(parts.size()) + (sum ? " parts" : " values");
}

}  // namespace mtfc::draw
