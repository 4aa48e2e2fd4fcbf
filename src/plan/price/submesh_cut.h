// Where a pipeline is best cut if each stage has a submesh of its own, of a chain of any blocks:
// the inter-operator problem of Alpa (Zheng et al., OSDI 2022, section 5).
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "plan/price/block_costs.h"
#include "plan/price/cut.h"
#include "predict/machine.h"

namespace mtfc::plan {

struct Submesh {
  Mesh mesh;                          // without axes of size 1
  const BlockCosts* costs = nullptr;  // of a pipeline all of whose stages have this mesh
};

struct SubmeshProblem {
  std::vector<Submesh> submeshes;
  const predict::Machine& machine;
  std::int64_t processors = 2, blocks = 2, microbatches = 1;
  int most_stages = 2;
  double memory = 0;  // bytes that a processor may hold
  Margin margin = {};
};

/// A stage: the number of its submesh, and its blocks.
struct SubmeshStage {
  std::size_t submesh = 0;
  std::int64_t blocks = 1;
  friend auto operator<=>(const SubmeshStage&, const SubmeshStage&) = default;
};

/// What the cut of the same blocks is there, with meshes by stage.
struct SubmeshCut {
  std::vector<SubmeshStage> stages;
  Cut cut;
};

inline const Cut& cut_of(const SubmeshCut& found) { return found.cut; }
inline Cut& cut_of(SubmeshCut& found) { return found.cut; }

/// About as `mtfc cost` would price it; infinite seconds: the stages have no room on the machine.
SubmeshCut priced(const SubmeshProblem& problem, std::vector<SubmeshStage> stages,
                  Schedule schedule);

/// All ways to give all processors and blocks to two stages or more; nothing if they are more
/// than `most`.
std::optional<std::vector<std::vector<SubmeshStage>>> all_pipelines(const SubmeshProblem& problem,
                                                                    std::size_t most);

/// The fastest of those that are looked at and fit: all, if there are few; else, for each of a row
/// of limits and each number of stages, the one that computes least with no load above the limit,
/// also without the submeshes of one size.
/// If none fits, the smallest of them; nothing: there is no pipeline.
std::optional<Cuts<SubmeshCut>> best_cuts(const SubmeshProblem& problem);

/// No pipeline takes fewer seconds, whatever it holds (plan/price/cut.h has the inequality). For
/// limits l_0 < l_1 < ... let S(l) be the least sum of all stages' seconds with no load above l,
/// which a dynamic program over stages from the last to the first, blocks and processors finds.
/// What has its largest load between l_k-1 and l_k takes at least S(l_k) + l_k-1. Infinite: there
/// is none.
double least_step(const SubmeshProblem& problem, Seconds which);
/// Of those whose stages take so many bytes at most; infinite: there is none.
double least_within(const SubmeshProblem& problem, double memory);

}  // namespace mtfc::plan
