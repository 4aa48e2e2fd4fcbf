#include "lab.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "backends/execute/module_rank.h"
#include "backends/execute/pipeline_simulator.h"
#include "backends/execute/plan_of_pipeline.h"
#include "comm/threads.h"
#include "cost/cost.h"
#include "frontend/elaborate/elaborate.h"
#include "ir/verify.h"
#include "lowering/graph/microbatch/split_batch.h"
#include "lowering/stages/deal_out.h"
#include "pipeline/step_order.h"
#include "support/host_tensor.h"
#include "train/pipeline_rank.h"

namespace lowering_lab {

SourceMap& all_sources() {
  static SourceMap sources;
  return sources;
}

Diagnostics complaints_of(const std::string& text) {
  Diagnostics diagnostics;
  const FileId file = all_sources().add("test.mtf", text);
  auto model = elaborate(all_sources(), file, {}, diagnostics);
  REQUIRE(model);
  lowering::split_batch(*model, diagnostics);
  return diagnostics;
}

Model model_of(const std::string& text) {
  Diagnostics diagnostics;
  const FileId file = all_sources().add("test.mtf", text);
  auto model = elaborate(all_sources(), file, {}, diagnostics);
  REQUIRE(model);
  REQUIRE(lowering::split_batch(*model, diagnostics));
  return *model;
}

Assignment place(const Model& model, Mesh mesh, const Rules& rules) {
  Assignment assignment;
  assignment.mesh = std::move(mesh);
  assignment.dims.resize(model.dims.size());
  for (std::size_t d = 0; d < model.dims.size(); ++d) {
    const auto it = rules.find(model.dims.all()[d].name);
    if (it == rules.end()) continue;
    assignment.dims[d] = {{*assignment.mesh.find(it->second)}, 0, it->first + ":" + it->second};
  }
  return assignment;
}

namespace {

runtime::TrainPlan plan_of(const Model& model) {
  runtime::TrainPlan plan;
  plan.sources.assign(model.sources.begin(), model.sources.end());
  for (const Input& input : model.inputs) {
    runtime::InputSpec spec{input.name, input.type.dtype, {}, {}, input.source, input.field, 0, ""};
    for (const DimId dim : input.type.dims) {
      spec.extents.push_back(model.dims.size(dim));
      spec.dims.push_back(model.dims.name(dim));
    }
    plan.inputs.push_back(spec);
  }
  plan.evaluation_microbatches = model.evaluation.count;
  plan.steps = model.settings.steps;
  plan.seed = model.settings.seed;
  return plan;
}

runtime::HostTensor scalar(double value) {
  runtime::HostTensor tensor = runtime::HostTensor::zeros(DType::f64, {});
  *tensor.as<double>() = value;
  return tensor;
}

}  // namespace

namespace {

/// All that is left behind by a run of the step's programs.
struct Run {
  runtime::TrainResult result;
  Numbers numbers;
};

/// Ranks that are threads call it, too: nothing is asserted here.
Run run_of(const Model& model, runtime::Engine& engine, const std::vector<StepProgram>& step) {
  Run run;
  runtime::TrainHooks hooks;
  hooks.after_step = [&](std::int64_t done, const std::vector<runtime::Fetched>& fetched) {
    if (done < model.settings.steps) return;
    for (const runtime::Fetched& f : fetched) run.numbers[f.kind + " " + f.name] = f.value;
  };
  runtime::TrainPlan plan = plan_of(model);
  plan.step = step;
  run.result = runtime::run_training(engine, plan, hooks);
  for (const runtime::VariableInfo& variable : engine.variables())
    if (variable.kind != "accumulator")
      run.numbers["after " + variable.path] = engine.variable(variable.path);
  run.numbers["eval loss"] = scalar(run.result.eval_loss);
  for (const auto& [name, value] : run.result.metrics)
    run.numbers["metric " + name] = scalar(value);
  return run;
}

/// Of a run that went well.
Numbers numbers_of(const Run& run) {
  INFO(run.result.error.message);
  REQUIRE(run.result.status == exit_done);
  return run.numbers;
}

PipelineModule pipeline_of(const Model& model, const Assignment& assignment) {
  lowering::Request request;
  request.dump_tensors = true;
  PipelineModule made = lowering::lower_pipeline(model, assignment, request);
  for (const Module& stage : made.stages) REQUIRE(verify(stage) == "");
  return made;
}

}  // namespace

Numbers train(const Model& model, const Assignment& assignment, bool dump) {
  constexpr backends::SimulatorOptions options{1, true};
  if (assignment.stages) {
    const PipelineModule made = pipeline_of(model, assignment);
    backends::PipelineSimulator simulator(made, options);
    const Run run = run_of(model, simulator, pipeline::step_order(made));
    REQUIRE(simulator.replica_error() == "");
    return numbers_of(run);
  }
  lowering::Request request;
  request.dump_tensors = dump;
  Module module = lowering::lower(model, assignment, request);
  REQUIRE(verify(module) == "");
  backends::Simulator simulator(std::move(module), options);
  const Run run = run_of(model, simulator, simulator.module().step);
  REQUIRE(simulator.replica_error() == "");
  return numbers_of(run);
}

Numbers train_on_ranks(const Model& model, const Assignment& assignment) {
  const PipelineModule made = pipeline_of(model, assignment);
  const runtime::PipelinePlan plan = backends::plan_of(made);
  Run of_root;
  runtime::net::run_on_threads(plan.first_rank(plan.stages), [&](runtime::net::Network& all) {
    const int own = plan.stage_of_rank(all.rank());
    std::unique_ptr<runtime::net::Network> among = all.divide(own);
    auto stage = std::make_unique<backends::ModuleRank>(made.stages[static_cast<std::size_t>(own)],
                                                        *among, 1);
    runtime::PipelineRank engine(plan, all, std::move(among), std::move(stage));
    Run run = run_of(model, engine, pipeline::step_order(made));
    if (all.rank() == 0) of_root = std::move(run);
    return 0;
  });
  return numbers_of(of_root);
}

std::int64_t arena_bytes(const Model& model, const Assignment& assignment) {
  const Module module = lowering::lower(model, assignment, {});
  REQUIRE(verify(module) == "");
  return cost::cost_of_step(module, all_sources()).arena_bytes;
}

double difference(const Numbers& a, const Numbers& b) {
  double most = 0;
  for (const auto& [name, x] : a) {
    INFO(name);
    REQUIRE(b.count(name) == 1);
    const runtime::HostTensor& y = b.at(name);
    REQUIRE(x.extents == y.extents);
    double apart = 0, large = 1e-30;
    for (std::int64_t i = 0; i < x.elements(); ++i) {
      apart = std::fmax(apart, std::fabs(runtime::element(x, i) - runtime::element(y, i)));
      large = std::fmax(large, std::fabs(runtime::element(x, i)));
      REQUIRE(std::isfinite(runtime::element(y, i)));
    }
    most = std::fmax(most, apart / large);
  }
  CHECK(a.size() == b.size());
  return most;
}

}  // namespace lowering_lab
