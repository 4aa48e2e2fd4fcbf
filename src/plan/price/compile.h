// A layout of the space compiled: what a step costs, without the texts that `mtfc cost` needs. What
// does not depend on the layout is done once for many.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cost/pipeline_cost.h"
#include "cost/work.h"
#include "lowering/pipeline.h"
#include "plan/space/choice.h"

namespace mtfc::plan {

struct Compiled {
  Module module;                           // programs of the step alone
  std::vector<cost::ProgramWork> work;     // by program of the step
  std::int64_t variables = 0, memory = 0;  // bytes: what lives from step to step, and all
  /// Bytes in an evaluation, of a model that evaluates on more examples at once; else 0.
  std::int64_t evaluation = 0;
  cost::PhaseBytes in_use{};  // of the rest, by phase
};

struct CompiledPipeline {
  PipelineModule module;    // programs of the step alone
  cost::PipelineCost cost;  // its figures
};

class Compiler {
 public:
  /// `detail`: what the machine wants to know of work.
  Compiler(const SourceMap& sources, Layout given, const cost::Detail& detail)
      : sources_(sources), given_(std::move(given)), detail_(detail) {}

  /// Nothing if the layout is not legal, or does not divide the model's dimensions.
  std::optional<Compiled> compile(const Choice& choice, const Model& model);
  /// Of one with a pipeline. `exactly`: with the few bytes of a stage that evaluations alone use.
  std::optional<CompiledPipeline> compile_pipeline(const Choice& choice, const Model& model,
                                                   bool exactly);
  /// The most that a processor holds in a run: steps, evaluations and first values. Nothing if it
  /// is not legal.
  std::optional<cost::MostMemory> most_memory(const Choice& choice, const Model& model);
  /// The graphs of a step as they are where nothing is split, before they are lowered. Nothing if
  /// the layout that was given is not legal.
  std::optional<lowering::State> before_splits(const Model& model);

 private:
  struct Prepared {
    lowering::State state;
    const lowering::Pass* last;  // that it has gone through
  };
  const Prepared& prepared(const Model& model, const Assignment& assignment);
  /// Nothing if it is not legal.
  std::optional<Assignment> resolved(const Choice& choice, const Model& model) const;
  /// The same of a layout that is a pipeline.
  std::optional<PipelineModule> lowered_stages(const Choice& choice, const Model& model,
                                               bool step_alone);
  std::optional<lowering::State> lowered(const Choice& choice, const Model& model, bool step_alone);
  Prepared start(const Model& model, Assignment assignment, bool step_alone);

  const SourceMap& sources_;
  const Layout given_;
  const cost::Detail detail_;
  /// The passes that do not see how anything is split, by the model, the scopes of blocks and
  /// whether sizes divide.
  std::map<std::pair<const Model*, std::string>, std::unique_ptr<Prepared>> prepared_;
};

}  // namespace mtfc::plan
