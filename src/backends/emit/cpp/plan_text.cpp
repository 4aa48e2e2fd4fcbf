#include "backends/emit/cpp/plan_text.h"

#include "backends/emit/cpp/cpp_text.h"
#include "backends/emit/cpp/spec_text.h"

namespace mtfc::backends {
namespace {

struct ValueText {
  std::string operator()(double value) const { return "SourceSpec::Value(" + number(value) + ")"; }
  std::string operator()(std::int64_t value) const {
    return "SourceSpec::Value(std::int64_t{" + number(value) + "})";
  }
  std::string operator()(bool value) const { return "SourceSpec::Value(" + boolean(value) + ")"; }
  std::string operator()(const std::string& value) const {
    return "SourceSpec::Value(std::string(" + string_literal(value) + "))";
  }
};

std::string initial_text(const runtime::InitialFile& file) {
  std::vector<std::string> parameters;
  for (const auto& [path, names, optional] : file.parameters) {
    std::vector<std::string> texts;
    for (const std::string& name : names)
      texts.push_back("std::string(" + string_literal(name) + ")");
    parameters.push_back(
        braces({string_literal(path), braces(texts), optional ? "true" : "false"}));
  }
  return braces({".path = " + string_literal(file.path), ".parameters = " + braces(parameters)});
}

std::string source_text(const SourceSpec& source) {
  std::vector<std::string> args;
  for (const auto& [name, value] : source.args) {
    args.push_back(braces({string_literal(name), std::visit(ValueText{}, value)}));
  }
  return braces({".name = " + string_literal(source.name),
                 ".function = " + string_literal(source.function), ".args = " + braces(args),
                 ".directory = " + string_literal(source.directory)});
}

std::string input_spec_text(const runtime::InputSpec& input) {
  std::vector<std::string> dims;
  for (const std::string& dim : input.dims)
    dims.push_back("std::string(" + string_literal(dim) + ")");
  return braces({".name = " + string_literal(input.name), ".dtype = " + value_text(input.dtype),
                 ".extents = " + numbers(input.extents), ".dims = " + braces(dims),
                 ".source = " + string_literal(input.source),
                 ".field = " + string_literal(input.field), ".ids = " + number(input.ids),
                 ".ids_dim = " + string_literal(input.ids_dim)});
}

std::string step_text(const StepProgram& step) {
  return braces({".program = " + string_literal(step.program),
                 ".microbatches = " + number(step.microbatches), ".only = " + number(step.only)});
}

}  // namespace

std::string plan_text(const runtime::TrainPlan& plan) {
  return block(
      "",
      {".model = " + string_literal(plan.model), ".optimizer = " + string_literal(plan.optimizer),
       ".sources = " + lines(plan.sources, source_text, 4),
       ".inputs = " + lines(plan.inputs, input_spec_text, 4),
       ".evaluation_microbatches = " + number(plan.evaluation_microbatches),
       ".step = " + lines(plan.step, step_text, 4),
       ".initial = " + lines(plan.initial, initial_text, 4), ".steps = " + number(plan.steps),
       ".epochs = " + number(plan.epochs), ".eval_every = " + number(plan.eval_every),
       ".checkpoint_every = " + number(plan.checkpoint_every),
       ".loss_scale = " + number(plan.loss_scale),
       ".on_nan = OnNan::" + std::string(name(plan.on_nan)), ".keep = " + number(plan.keep),
       ".checkpoint = CheckpointForm::" + std::string(name(plan.checkpoint)),
       ".seed = " + number(plan.seed)},
      0);
}

}  // namespace mtfc::backends
