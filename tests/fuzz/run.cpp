// Small models train for a step on drawn data, computed on every processor: what should be equal
// is, and no kernel leaves its buffers.
#include <algorithm>

#include "backends/execute/pipeline_simulator.h"
#include "backends/execute/simulator.h"
#include "cost/cost.h"
#include "fuzz/case.h"
#include "lowering/stages/deal_out.h"
#include "pipeline/step_order.h"
#include "train/loop/train_loop.h"

namespace mtfc::fuzz {

namespace {

/// An execution takes milliseconds; what is large is for `model`.
bool is_small(const cost::Cost& cost) {
  const double processors = static_cast<double>(cost.processors);
  const auto bytes = static_cast<double>(cost.memory_per_processor());
  return processors <= 16 && processors * bytes < 1e6 &&
         processors * cost.flops_per_processor < 1e6;
}

/// One step, on a drawn source for each input: whole numbers are all zero, which is a place along
/// any dimension.
runtime::TrainPlan plan_of(const Model& model) {
  runtime::TrainPlan plan;
  for (const Input& input : model.inputs) {
    runtime::InputSpec spec{input.name, input.type.dtype, {}, {}, input.name, "", 0, ""};
    for (const DimId dim : input.type.dims) {
      spec.extents.push_back(model.dims.size(dim));
      spec.dims.push_back(model.dims.name(dim));
    }
    const bool whole = input.type.dtype == DType::i32;
    SourceSpec source{input.name, whole ? "gaussian_labels" : "gaussian", {}, ""};
    if (whole) source.args.emplace_back("classes", std::int64_t{1});
    plan.inputs.push_back(std::move(spec));
    plan.sources.push_back(std::move(source));
  }
  plan.evaluation_microbatches = model.evaluation.count;
  plan.steps = 1;
  plan.seed = model.settings.seed;
  return plan;
}

bool is_small(const Module& module, const SourceMap& sources) {
  return std::all_of(module.programs.begin(), module.programs.end(), [&](const Program& program) {
    return is_small(cost::cost_of(module, program, sources));
  });
}

constexpr backends::SimulatorOptions options{1, true};

template <typename Engine>
void train(Engine engine, const runtime::TrainPlan& plan) {
  const runtime::TrainResult trained = runtime::run_training(engine, plan, {});
  require(trained.status != 0 || engine.replica_error().empty(),
          "replicas differ: " + engine.replica_error());
}

void run_pipeline(const Case& c) {
  const PipelineModule pipeline = c.assignment->stage_meshes.empty()
                                      ? lowering::deal_out({lower(c)})
                                      : lowering::lower_pipeline(*c.model, *c.assignment, {});
  runtime::TrainPlan plan = plan_of(*c.model);
  plan.step = pipeline::step_order(pipeline);
  if (plan.step.empty() || plan.step.size() > 100) return;
  for (const Module& stage : pipeline.stages)
    if (!is_small(stage, c.sources)) return;
  train(backends::PipelineSimulator(pipeline, options), plan);
}

}  // namespace

void run(std::string_view input) {
  const Case c = check(sections_of(input));
  if (!c.assignment) return;
  if (c.assignment->stages) return run_pipeline(c);
  Module module = std::move(lower(c).made.module);
  if (module.step.empty() || !is_small(module, c.sources) ||
      !is_small(cost::cost_of_step(module, c.sources)))
    return;
  runtime::TrainPlan plan = plan_of(*c.model);
  plan.step = module.step;
  train(backends::Simulator(std::move(module), options), plan);
}

}  // namespace mtfc::fuzz
