// What the stages of a pipeline cost by how many iterations they have. Iterations are alike, and so
// are the stages between the first and the last: one small pipeline says it for all.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plan/price/block_costs.h"
#include "plan/space/examples.h"

namespace mtfc::plan {

/// From one pipeline whose stages have `few` iterations or one more, from which on each further one
/// adds the same. What a shorter stage takes these say roughly: what it holds is less like theirs
/// the smaller it is.
class StageCosts {
 public:
  using Blocks = std::vector<std::int64_t>;
  /// Stages of so many iterations: the first, two between of which one has an iteration more, and
  /// the last; four that are equally long.
  static Blocks small_cut(std::int64_t few) { return {few, few, few + 1, few}; }
  static Blocks even_cut(std::int64_t iterations) { return Blocks(4, iterations); }

  /// `made`: of the small cut. `shorter`: of even ones, of one iteration, of two and so on; none
  /// where no stage is so short. `mapped`: of the pipeline that is asked for. `machine` outlives
  /// it.
  StageCosts(std::int64_t few, const CompiledPipeline& made,
             const std::vector<CompiledPipeline>& shorter, const ExampleNames& examples,
             const predict::Machine& machine, predict::MappedStages mapped);

  /// From how many iterations on each adds the same.
  std::int64_t few() const { return few_; }
  bool reaches_over() const { return reaches_over_; }
  /// Of virtual stages too, which are chunks: their passes, what crosses and what is held.
  StageFigures of(int stage, int stages, std::int64_t iterations) const;
  /// All that so many virtual stages send each other with micro-batches.
  StageSends sends(int stages) const;
  /// What one of `stages` stages is sent by another with meshes of their own. `share`: processors
  /// of the other for each of its own.
  StageSends sends(int from, int to, int stages, const predict::MappedStages& mapped,
                   double share) const;

 private:
  const predict::Machine& machine_;
  predict::MappedStages mapped_;
  std::int64_t few_;
  bool reaches_over_ = false;
  /// Of the first stage, one between and the last, by their iterations up to `few`.
  std::map<std::int64_t, std::array<StageFigures, 3>> known_ = {};
  StageFigures each_;  // of one iteration more
  std::vector<StageLink> links_;
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
  bool reaches_over() const override { return costs_.reaches_over(); }
  StageSends sends(const std::vector<std::int64_t>& blocks, int from, int to,
                   const predict::MappedStages& mapped, double share) const override {
    return costs_.sends(from, to, static_cast<int>(blocks.size()), mapped, share);
  }

 private:
  StageCosts costs_;
  std::int64_t blocks_;
};

}  // namespace mtfc::plan
