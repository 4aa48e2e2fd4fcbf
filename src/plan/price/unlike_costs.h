// What stages cost whose blocks are not alike, as those of a residual network: from three
// pipelines, of a stage for each block, and of stages with two.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plan/price/block_costs.h"
#include "plan/space/examples.h"

namespace mtfc::plan {

/// Let f(i) be a figure of a stage with block i alone and g(i) of one with blocks i and i + 1. Of
/// one with blocks i to j it is g(i) + sum_{i<k<j} (g(k) - f(k)): what two neighbours share, as
/// what one sends the other, counts for each pair of them. What passes work in is that of the
/// largest pair.
class UnlikeCosts : public BlockCosts {
 public:
  /// Models that are compiled.
  static constexpr std::size_t compiled = 3;

  /// `cut`: blocks of each stage. Nothing if the layout is not legal.
  using Compile =
      std::function<std::optional<CompiledPipeline>(const std::vector<std::int64_t>& cut)>;

  /// `mapped`: of any pipeline whose stages have this mesh. Null: a layout is not legal. `machine`
  /// outlives the result.
  static std::unique_ptr<UnlikeCosts> of(std::int64_t blocks, const Compile& compile,
                                         const ExampleNames& examples,
                                         const predict::Machine& machine,
                                         const predict::MappedStages& mapped);

  std::int64_t positions() const override { return static_cast<std::int64_t>(alone_.size()); }
  std::int64_t position(std::int64_t begin, std::int64_t) const override { return begin; }
  StageFigures figures(std::int64_t begin, std::int64_t count) const override;
  bool reaches_over() const override { return reaches_over_; }
  StageSends sends(const std::vector<std::int64_t>& blocks, int from, int to,
                   const predict::MappedStages& mapped, double share) const override;

 private:
  explicit UnlikeCosts(const predict::Machine& machine) : machine_(machine) {}

  const predict::Machine& machine_;
  bool reaches_over_ = false;
  std::vector<StageFigures> alone_, joint_;  // f and g, by number of the (first) block
  std::vector<StageFigures> further_;        // sums of g - f of so many first blocks
  std::vector<StageLink> links_;             // between blocks
};

}  // namespace mtfc::plan
