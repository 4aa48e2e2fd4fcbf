// What a step does with examples, and what its update takes at least: whatever does not depend on
// how parameters are kept, updated and gathered.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "cost/work.h"
#include "plan/space/choice.h"
#include "predict/timeline.h"

namespace mtfc::plan {

/// Names of the leading dimensions of the model's inputs.
std::set<std::string> example_dims(const Model& model);

/// What tells what every variant has.
struct ExampleNames {
  std::set<std::string> dims;                // that count examples
  std::set<std::string> of_parameters = {};  // along which parameters may be kept
  /// Over which scopes of blocks split otherwise than general rules. Where nothing is split over
  /// one of these, keeping parameters on shards of it may split what they are used for.
  std::set<std::string> scoped_axes = {};
  /// With the axes of the choice's scopes.
  ExampleNames of(const Choice& choice) const;
};
ExampleNames example_names(const Model& model);

class Examples {
 public:
  /// Module and program outlive it.
  Examples(const Module& module, const Program& program, const ExampleNames& names);

  /// Products, whatever else repeated blocks compute, and collectives in these that are waited for,
  /// of tensors with examples. Elsewhere only products: what is fused at the ends of a model
  /// depends on micro-batches.
  bool count(const Instruction& at, const cost::Work& work) const;
  /// Seconds of an instruction that every variant has, at least: those of what counts, and of
  /// kernels of the update what a kernel takes at least.
  double seconds(const Instruction& at, const cost::Work& work, const predict::Timed& timed,
                 const predict::Chip& chip) const;

 private:
  bool has_any(const Instruction& at, const std::vector<bool>& dims) const;
  /// Over how many processors keeping parameters on shards may split it.
  double parts(const Instruction& at) const;

  const Program& program_;
  const Mesh& mesh_;
  std::vector<bool> is_example_, is_of_parameters_;  // by DimId
  std::vector<AxisId> scoped_;
};

}  // namespace mtfc::plan
