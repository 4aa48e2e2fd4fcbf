#include "lab.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "backends/execute/pipeline_simulator.h"
#include "cost/cost.h"
#include "frontend/elaborate/elaborate.h"
#include "ir/verify.h"
#include "lowering/graph/microbatch/split_batch.h"
#include "lowering/stages/deal_out.h"
#include "pipeline/step_order.h"
#include "support/host_tensor.h"

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

/// All that is left behind by a run of the step's programs. `engine`: a simulator of some kind.
template <class Engine>
Numbers numbers_of(const Model& model, Engine& engine, const std::vector<StepProgram>& step) {
  Numbers result;
  runtime::TrainHooks hooks;
  hooks.after_step = [&](std::int64_t done, const std::vector<runtime::Fetched>& fetched) {
    if (done < model.settings.steps) return;
    for (const runtime::Fetched& f : fetched) result[f.kind + " " + f.name] = f.value;
  };
  runtime::TrainPlan plan = plan_of(model);
  plan.step = step;
  const runtime::TrainResult trained = runtime::run_training(engine, plan, hooks);
  INFO(trained.error.message);
  REQUIRE(trained.status == runtime::status_done);
  REQUIRE(engine.replica_error() == "");
  for (const runtime::VariableInfo& variable : engine.variables())
    if (variable.kind != "accumulator")
      result["after " + variable.path] = engine.variable(variable.path);
  result["eval loss"] = scalar(trained.eval_loss);
  for (const auto& [name, value] : trained.metrics) result["metric " + name] = scalar(value);
  return result;
}

}  // namespace

Numbers train(const Model& model, const Assignment& assignment) {
  lowering::Request request;
  request.dump_tensors = true;
  constexpr backends::SimulatorOptions options{1, true};
  if (assignment.stages) {
    PipelineModule made = lowering::lower_pipeline(model, assignment, request);
    for (const Module& stage : made.stages) REQUIRE(verify(stage) == "");
    backends::PipelineSimulator simulator(std::move(made), options);
    return numbers_of(model, simulator, pipeline::step_order(simulator.module()));
  }
  Module module = lowering::lower(model, assignment, request);
  REQUIRE(verify(module) == "");
  backends::Simulator simulator(std::move(module), options);
  return numbers_of(model, simulator, simulator.module().step);
}

std::int64_t arena_bytes(const Model& model, const Assignment& assignment) {
  const Module module = lowering::lower(model, assignment, {});
  REQUIRE(verify(module) == "");
  return backends::cost_of_step(module, all_sources()).arena_bytes;
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
