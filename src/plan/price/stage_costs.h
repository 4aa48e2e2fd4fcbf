// What the stages of a pipeline cost by how many iterations they have. Iterations are alike, and so
// are the stages between the first and the last: one small pipeline says it for all.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plan/price/block_costs.h"
#include "plan/space/examples.h"

namespace mtfc::plan {

/// From one pipeline whose stages have these numbers of iterations, two or more. What a stage of
/// one iteration takes these say roughly: what it holds is less like theirs the smaller it is.
class StageCosts {
 public:
  static const std::vector<std::int64_t>& small_cut();
  static std::int64_t small_iterations();
  /// The same with one iteration each.
  static const std::vector<std::int64_t>& single_cut();

  /// `made`: of the small cut; `single`: of the other, null where stages have more. `mapped`: of
  /// the pipeline that is asked for. `machine` outlives it.
  StageCosts(const CompiledPipeline& made, const CompiledPipeline* single,
             const ExampleNames& examples, const predict::Machine& machine,
             predict::MappedStages mapped);

  /// Of virtual stages too, which are chunks: their passes, what crosses and what is held.
  StageFigures of(int stage, int stages, std::int64_t iterations) const;
  /// All that so many virtual stages send each other with micro-batches.
  std::vector<pipeline::Send> sends(int stages) const;
  /// What one of `stages` stages is sent by another with meshes of their own. `share`: processors
  /// of the other for each of its own.
  std::vector<pipeline::Send> sends(int from, int to, int stages,
                                    const predict::MappedStages& mapped, double share) const;
  /// Of stages with so many iterations at most.
  double once_between(std::int64_t longest) const;

 private:
  const predict::Machine& machine_;
  predict::MappedStages mapped_;
  StageFigures first_, inner_, last_, each_;  // with `few` iterations; and one more
  std::vector<StageFigures> singles_ = {};    // first, inner and last of one; empty: not compiled
  std::vector<StageLink> links_;
  double once_between_ = 0;               // of the small pipeline
  std::optional<double> single_between_;  // of that of single iterations
};

/// Of a chain of so many blocks that are alike.
class AlikeCosts : public BlockCosts {
 public:
  AlikeCosts(StageCosts costs, std::int64_t blocks) : costs_(std::move(costs)), blocks_(blocks) {}

  std::int64_t positions() const override { return 3; }  // first, between, last
  std::int64_t position(std::int64_t begin, std::int64_t count) const override {
    return begin == 0 ? 0 : begin + count == blocks_ ? 2 : 1;
  }
  StageFigures figures(std::int64_t position, std::int64_t count) const override {
    return costs_.of(static_cast<int>(position), 3, count);
  }
  std::vector<pipeline::Send> sends(const std::vector<std::int64_t>& blocks, int from, int to,
                                    const predict::MappedStages& mapped,
                                    double share) const override {
    return costs_.sends(from, to, static_cast<int>(blocks.size()), mapped, share);
  }
  double once_between(std::int64_t longest) const override { return costs_.once_between(longest); }

 private:
  StageCosts costs_;
  std::int64_t blocks_;
};

}  // namespace mtfc::plan
