// What runs the programs of a module: the simulated mesh, or, under mpirun, this rank.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/execute/module_rank.h"
#include "backends/execute/pipeline_simulator.h"
#include "backends/execute/simulator.h"
#include "cli/session/programs.h"
#include "cli/session/session.h"
#include "data/feeder.h"
#include "support/fact.h"
#include "train/pipeline_plan.h"
#include "train/pipeline_rank.h"

namespace mtfc::cli {

class Execution {
 public:
  /// Absent: reported; the command ends with `status`. `facts`: what decides the command's numbers
  /// beside the module; ranks compare it.
  static std::optional<Execution> make(Session& session, Module module, int& status,
                                       const Facts& facts = {});
  /// The same of all stages, if there are any, of a layout with these.
  static std::optional<Execution> make(Session& session, Programs programs,
                                       const Assignment& assignment, int& status,
                                       const Facts& facts = {});
  /// The same for programs that follow from those with which one was made: all ranks have them.
  static Execution make_further(Session& session, Programs programs, const Assignment& assignment);

  runtime::Engine& engine() { return *engine_; }
  /// Of a pipeline: of its first stage.
  const Module& module() const { return *module_; }
  bool is_pipeline() const { return !where_.empty(); }
  /// Of a pipeline: PipelineSimulator::most_held. Every rank calls it.
  std::vector<std::int64_t> most_held() { return most_held_(); }
  const runtime::PipelinePlan& pipeline() const { return *pipeline_; }
  /// Of a pipeline, what a processor of the stage has counted in the last step; under mpirun on its
  /// ranks alone.
  runtime::Counters counters_of(int stage, const std::vector<StepProgram>& step) const;
  const Mesh& mesh() const { return module().mesh; }
  /// Who looks on, and the memory that programs need taken before they run.
  backends::Observable& observable() { return *observable_; }
  /// --replicas all: that replicas differed is reported, and makes exit_internal of `status`.
  int status_of_replicas(Session& session, int status) const;
  /// "mesh rows=2, cols=2", with "4 ranks, Open MPI v4.1.4" under mpirun
  std::string text() const;

 private:
  Execution() = default;
  static Execution of_module(Session& session, Module module);
  static Execution of_pipeline(Session& session, const PipelineModule& module,
                               const Assignment& assignment);

  std::unique_ptr<runtime::Engine> engine_;
  const Module* module_ = nullptr;              // the engine's
  backends::Observable* observable_ = nullptr;  // the engine, or that of this rank's stage
  // The engine's; null: it has none of that.
  std::function<std::string()> replica_error_;
  std::function<std::vector<std::int64_t>()> most_held_;
  std::string where_;  // of a pipeline
  std::optional<runtime::PipelinePlan> pipeline_;
  std::string ranks_;
};

/// Under mpirun: whether all ranks have the same data; that they have not is reported.
bool same_data(Session& session, const runtime::Feeder& feeder);

}  // namespace mtfc::cli
