#include "draw/holders.h"

#include <algorithm>

#include "support/text.h"

namespace mtfc::draw {
namespace {

constexpr std::int64_t any = -1, most_listed = 4096, most_parts = 8;

/// By mesh axis: a coordinate, or any.
using Coordinates = std::vector<std::int64_t>;

/// The coordinates of the shard with this number along axes, major to minor.
void fix(const Mesh& mesh, const std::vector<AxisId>& axes, std::int64_t number,
         Coordinates& coordinates) {
  for (std::size_t i = axes.size(); i-- > 0;) {
    coordinates[axes[i].at()] = number % mesh.size(axes[i]);
    number /= mesh.size(axes[i]);
  }
}

Coordinates coordinates_of(const Mesh& mesh, const ShardType& type, const ShardIndex& shard) {
  Coordinates coordinates(mesh.axes.size(), any);
  for (std::size_t i = 0; i < shard.size(); ++i)
    if (shard[i] != any) fix(mesh, type.sharding.split[i], shard[i], coordinates);
  return coordinates;
}

/// All processors with these coordinates, which are numbered row by row.
Holders holders_at(const Mesh& mesh, const Coordinates& coordinates) {
  Holders found{1, {0}};
  for (std::size_t axis = 0; axis < mesh.axes.size(); ++axis) {
    const std::int64_t size = mesh.axes[axis].size;
    const bool free = coordinates[axis] == any;
    const std::int64_t first = free ? 0 : coordinates[axis], last = free ? size - 1 : first;
    if (free) found.count *= size;
    std::vector<std::int64_t> ranks;
    for (const std::int64_t rank : found.ranks)
      for (std::int64_t c = first;
           c <= last && static_cast<std::int64_t>(ranks.size()) < most_listed; ++c)
        ranks.push_back(rank * size + c);
    found.ranks = std::move(ranks);
  }
  return found;
}

/// The step of an arithmetic sequence; 0 if it is none.
std::int64_t step_of(const std::vector<std::int64_t>& ranks) {
  const std::int64_t step = ranks[1] - ranks[0];
  for (std::size_t i = 1; i < ranks.size(); ++i)
    if (ranks[i] - ranks[i - 1] != step) return 0;
  return step;
}

}  // namespace

Holders holders(const Mesh& mesh, const ShardType& type, const ShardIndex& shard) {
  return holders_at(mesh, coordinates_of(mesh, type, shard));
}

std::string ranks_text(const Holders& holders, std::size_t width) {
  const std::vector<std::int64_t>& ranks = holders.ranks;
  const std::string count = std::to_string(holders.count) + " ranks";
  if (holders.count > static_cast<std::int64_t>(ranks.size())) return count;
  const std::string first = std::to_string(ranks.front()), last = std::to_string(ranks.back());
  if (ranks.size() == 1) return first;
  const std::int64_t step = step_of(ranks);
  if (step == 1 && ranks.size() > 2) return first + "-" + last;
  if (ranks.size() <= 8) {
    const std::string all =
        joined(ranks, ",", [](std::int64_t rank) { return std::to_string(rank); });
    if (all.size() <= std::min<std::size_t>(width, 16)) return all;
  }
  const std::string sequence = first + "," + std::to_string(ranks[1]) + ",..," + last;
  return step > 0 && sequence.size() <= width ? sequence : count;
}

std::string holders_text(const Mesh& mesh, const ShardType& type, const ShardIndex& shard,
                         std::size_t width) {
  if (!type.sharding.is_partial()) return ranks_text(holders(mesh, type, shard), width);
  const bool sum = type.sharding.combine == Combine::sum;
  const std::int64_t parts = mesh.size(type.sharding.partial);
  std::string text;
  for (std::int64_t part = 0; part < std::min(parts, most_parts); ++part) {
    Coordinates coordinates = coordinates_of(mesh, type, shard);
    fix(mesh, type.sharding.partial, part, coordinates);
    const Holders one = holders_at(mesh, coordinates);
    const std::string ranks = ranks_text(one, width);
    text += (text.empty() ? ""
             : sum        ? " + "
                          : " , ") +
            (one.count == 1 ? ranks : "(" + ranks + ")");
  }
  if (parts <= most_parts && text.size() <= width) return text;
  return std::to_string(parts) + (sum ? " parts" : " values");
}

}  // namespace mtfc::draw
