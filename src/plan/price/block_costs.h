// What stages cost by which blocks of a chain they have: what a pipeline is cut by.
#pragma once
#include <cstdint>
#include <vector>

#include "plan/price/stage_figures.h"

namespace mtfc::plan {

class BlockCosts {
 public:
  virtual ~BlockCosts() = default;

  /// A stage costs what its position and its number of blocks say: how many positions there are,
  /// and that of a stage with `count` blocks from number `begin` on.
  virtual std::int64_t positions() const = 0;
  virtual std::int64_t position(std::int64_t begin, std::int64_t count) const = 0;
  /// Of positions where no stage has so many blocks, anything.
  virtual StageFigures figures(std::int64_t position, std::int64_t count) const = 0;
  /// Whether stages are hardly sums over their blocks (plan/price/stage_figures.h).
  virtual bool reaches_over() const = 0;
  /// What stage `to` is sent by another, with micro-batches. `blocks`: of each stage. `share`:
  /// processors of `to` for each of `from`.
  virtual StageSends sends(const std::vector<std::int64_t>& blocks, int from, int to,
                           const predict::MappedStages& mapped, double share) const = 0;
};

}  // namespace mtfc::plan
