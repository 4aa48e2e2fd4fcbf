// The engine of a pipeline on simulated meshes: a simulator for each stage, and what crosses
// between them.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backends/execute/simulator.h"
#include "pipeline/pipeline_module.h"
#include "train/pipeline_plan.h"

namespace mtfc::backends {

/// Runs whole programs, part after part, and single parts, which the schedule of a step puts in
/// order (pipeline/step_order.h). What crosses is held for each micro-batch from the part that
/// makes it to the last one of the stage that uses it.
class PipelineSimulator final : public runtime::Engine, public Observable {
 public:
  explicit PipelineSimulator(const PipelineModule& module, SimulatorOptions options = {});

  /// Of the first stage.
  const Module& module() const { return stages_.front()->module(); }
  bool has_program(std::string_view program) const override;
  void run(std::string_view program, const runtime::Feeds& feeds,
           std::vector<runtime::Fetched>& fetched) override;
  std::vector<runtime::VariableInfo> variables() const override;
  runtime::HostTensor variable(std::string_view path) override;
  void set_variable(std::string_view path, const runtime::HostTensor& value) override;
  NotFinite worst_of(std::string_view path) override {
    return stage(plan_.variable(path).stage).worst_of(path);
  }
  /// Of a part, and of a whole program all of its parts one after the other.
  runtime::Counters counters(std::string_view program) const override;
  void give_back_memory() override {
    for (const std::unique_ptr<Simulator>& stage : stages_) stage->give_back_memory();
  }

  void spread(std::int64_t count, const std::function<void(std::int64_t)>& task) override {
    stages_.front()->spread(count, task);
  }
  /// All stages have the same.
  void observe(const Observers& observers) override {
    for (const std::unique_ptr<Simulator>& stage : stages_) stage->observe(observers);
  }
  void prepare() override {
    for (const std::unique_ptr<Simulator>& stage : stages_) stage->prepare();
  }
  /// With all_replicas: as of Simulator, of the first stage that has one.
  std::string replica_error() const;
  /// The most forward passes, of a micro-batch through a chunk, of which a stage has kept values
  /// for a backward pass at one time, by stage.
  const std::vector<std::int64_t>& most_held() const { return most_held_; }

 private:
  using Held = std::map<runtime::HeldKey, runtime::HostTensor>;

  void run_part(int part, const runtime::Feeds& feeds, std::vector<runtime::Fetched>& fetched);
  void give(int crossing, std::int64_t microbatch);
  void note_held(int stage);
  Simulator& stage(int number) const { return *stages_[static_cast<std::size_t>(number)]; }

  const runtime::PipelinePlan plan_;
  std::vector<std::unique_ptr<Simulator>> stages_;
  std::vector<Held> held_;  // by stage
  std::vector<std::int64_t> most_held_;
};

}  // namespace mtfc::backends
