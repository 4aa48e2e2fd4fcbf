#include "layout/uneven.h"

#include <numeric>

#include "ir/stage_meshes.h"
#include "support/rounding.h"

namespace mtfc::lowering {
namespace {

/// By dimension: the least common multiple of its numbers of shards. Beyond what a dimension may
/// have nothing is multiplied any more.
class ShardCounts {
 public:
  ShardCounts(std::size_t dims, const Assignment& assignment)
      : assignment_(assignment), counts_(dims, 1) {}

  void add(DimId dim, const std::vector<AxisId>& axes) {
    std::int64_t& count = counts_[dim.at()];
    if (!axes.empty() && count <= largest_size)
      count = std::lcm(count, shards_over(assignment_, axes));
  }
  std::int64_t of(std::size_t dim) const { return counts_[dim]; }

 private:
  const Assignment& assignment_;
  std::vector<std::int64_t> counts_;
};

}  // namespace

std::vector<Uneven> uneven_dims(const DimTable& dims, const std::vector<Variable>& variables,
                                const Assignment& assignment) {
  ShardCounts counts(dims.size(), assignment);
  for (std::size_t i = 0; i < assignment.dims.size() && i < dims.size(); ++i)
    counts.add(DimId{static_cast<std::int32_t>(i)}, assignment.dims[i].axes);
  for (const Assignment::Scope& scope : assignment.scopes)
    for (const auto& split : scope.splits) counts.add(split.dim, split.axes);
  if (!assignment.kept.empty())
    for (const Variable& v : variables)
      if (const auto kept = assignment.kept.find(v.path); kept != assignment.kept.end())
        for (std::size_t i = 0; i < v.type.dims.size(); ++i)
          counts.add(v.type.dims[i], kept->second.sharding.split[i]);
  std::vector<Uneven> found;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const DimId dim{static_cast<std::int32_t>(i)};
    const std::int64_t size = dims.size(dim), parts = counts.of(i);
    if (size % parts != 0) found.push_back({dim, round_up(size, parts)});
  }
  return found;
}

}  // namespace mtfc::lowering
