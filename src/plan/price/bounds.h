// What a step computes at least under general rules, from the program of one processor: no layout
// splits a piece of work over more than the axes of its dimensions, and none makes kernels fewer.
// Where a product sums over what rules split, its sum over processors is waited for.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "plan/price/named_work.h"
#include "plan/price/sum_rates.h"

namespace mtfc::plan {

class Bounds {
 public:
  enum class Of { work_and_sums, work };  // `work`: whatever links carry
  /// `space` and `work` outlive it.
  Bounds(const Space& space, const NamedWork& work, const predict::Machine& machine,
         Of of = Of::work_and_sums);

  /// Seconds of work on examples, and of sums (plan/price/pricing.h); `further`: and these
  /// dimensions over these axes as well, wherever they are free.
  double seconds(const Mesh& mesh, const std::vector<Split>& rules,
                 const std::vector<Split>& further = {}) const;
  /// The same of a pipeline with so many micro-batches, wherever it is cut. One of m micro-batches
  /// is worth W seconds on the mesh of a stage. Stage j begins when the first one has come through
  /// the stages before it, and they have the last one still to do when it ends:
  ///
  ///   step >= sum_{i<j} t_i + m t_j for all j of p, sum t = W;
  ///
  /// the least step is that for which all are equal: W / (1 - (1 - 1/m)^p). With v chunks it comes
  /// through the first chunks alone. Of W let I be what the iterations compute, the same in every
  /// chunk: at least I / (v p) in the first chunk and I / p in all of a stage. So
  ///
  ///   step >= j I / (v p) + m t_j for all j, sum t = W, t_j >= I / p,
  ///
  /// which the largest is not below for the mean of all j, nor for the last. Of a pipeline that is
  /// given with chunks it is m W / p. `exactly`: else also of fewer micro-batches.
  double pipeline_seconds(const Choice& choice, std::int64_t microbatches, bool exactly,
                          const std::vector<Split>& further = {}) const;

  /// The same of pipelines on any of these submeshes. Of g seconds of work on one processor, a
  /// stage with n of them takes g / s seconds where rules split it s times, n g / s of all its
  /// processors: at least the least of all submeshes, g' seconds. Stage j has t_j <= step / m for
  /// one micro-batch, and n_j t_j of all stages add up to G, the sum of all g', so that with N
  /// processors
  ///
  ///   step >= m G / N.
  double submesh_seconds(const Choice& choice, const Submeshes& submeshes,
                         std::int64_t microbatches, bool exactly,
                         const std::vector<Split>& further = {}) const;

  /// The same of all layouts with these rules and, of a pipeline, stages: of any number of
  /// micro-batches, or of a pipeline of so many.
  double family_seconds(const Choice& base, const std::vector<Split>& further = {}) const;
  double staged_seconds(const Choice& base, std::int64_t microbatches, bool exactly,
                        const std::vector<Split>& further) const;

  /// At least the bytes of one processor that live from step to step: of a pipeline of the stage
  /// that has the most, 0 where stages have meshes of their own. Where a layout was given that may
  /// split anything, all variables may be split over all processors.
  double variable_bytes(const Choice& choice) const;
  /// The same of every layout with so many processors: as many shards as there are.
  double variable_bytes(std::int64_t processors) const;

 private:
  /// Axes by number of the name, and of all rules.
  struct RuledAxes {
    std::vector<AxisSet> axes;
    AxisSet all = 0;
    AxisSet of(const WorkGroup& group, bool knows_rules) const;
  };
  RuledAxes ruled(const Mesh& mesh, const std::vector<Split>& rules,
                  const std::vector<Split>& further) const;
  /// Of one micro-batch.
  struct Work {
    double all = 0, each = 0;  // seconds in all; of these, in every iteration
  };
  /// Of one of so many micro-batches: all of it, or of a pipeline what stages have too.
  Work work(const Choice& choice, const std::vector<Split>& further,
            std::int64_t microbatches) const;
  /// Of the sums of all groups.
  Work sums(const Choice& choice, const std::vector<Split>& further,
            const RuledAxes& ruled_by) const;

  const Space& space_;
  const Of of_;
  const bool knows_rules_;    // no layout was given, which may split anything
  const std::int64_t first_;  // micro-batches of the work that is known
  const bool shares_update_;  // a setting may say so for all layouts
  const double launch_;
  const NamedWork& work_;
  const std::vector<std::string>& scope_dims_;
  mutable SumRates sum_rates_;
};

}  // namespace mtfc::plan
