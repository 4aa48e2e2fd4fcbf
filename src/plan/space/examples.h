// What a step does with examples, and what its update takes at least: whatever does not depend on
// how parameters are kept, updated and gathered.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "cost/work.h"
#include "predict/timeline.h"

namespace mtfc::plan {

/// Names of the leading dimensions of the model's inputs.
std::set<std::string> example_dims(const Model& model);

class Examples {
 public:
  /// Both outlive it. `names`: of the dimensions that count examples.
  Examples(const Module& module, const Program& program, const std::set<std::string>& names);

  /// Products, whatever else repeated blocks compute, and collectives in these that are waited for,
  /// of tensors with examples. Elsewhere only products: what is fused at the ends of a model
  /// depends on micro-batches.
  bool count(const Instruction& at, const cost::Work& work) const;
  /// Seconds of an instruction that every variant has: those of what counts, and of kernels of the
  /// update what a kernel takes at least.
  double seconds(const Instruction& at, const cost::Work& work, const predict::Timed& timed,
                 const predict::Chip& chip) const;

 private:
  const Program& program_;
  std::vector<bool> is_example_;  // by DimId
};

}  // namespace mtfc::plan
