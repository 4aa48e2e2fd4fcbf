#include "backends/emit/cpp/stages_text.h"

#include <algorithm>

#include "backends/emit/cpp/cpp_text.h"
#include "backends/emit/cpp/inputs_text.h"
#include "backends/emit/cpp/spec_text.h"
#include "backends/execute/plan_of_pipeline.h"

namespace mtfc::backends {
namespace {

using runtime::PipelinePlan;

std::string fetched_text(const runtime::Fetched& fetched) {
  return braces({string_literal(fetched.kind), string_literal(fetched.name),
                 "HostTensor::zeros(" + value_text(fetched.value.dtype) + ", " +
                     numbers(fetched.value.extents) + ")"});
}

std::string part_text(const PipelinePlan::Part& part) {
  std::vector<std::string> fetched;
  for (const runtime::Fetched& one : part.fetched) fetched.push_back(fetched_text(one));
  return braces({".name = " + string_literal(part.name),
                 ".program = " + string_literal(part.program),
                 ".stage = " + std::to_string(part.stage), ".chunk = " + std::to_string(part.chunk),
                 ".backward = " + boolean(part.backward), ".takes = " + numbers(part.takes),
                 ".gives = " + numbers(part.gives), ".fetched = " + braces(fetched)});
}

std::string crossing_text(const PipelinePlan::Crossing& crossing) {
  return braces({string_literal(crossing.variable), std::to_string(crossing.from),
                 numbers(crossing.to), boolean(crossing.steady)});
}

/// By variable: the stage that it lives in; -1: it crosses.
std::vector<int> homes_of(const PipelinePlan& plan, const Module& whole) {
  std::vector<int> homes(whole.variables.size(), -1);
  for (std::size_t i = 0; i < homes.size(); ++i)
    for (const PipelinePlan::Variable& variable : plan.variables)
      if (variable.info.path == whole.variables[i].path) homes[i] = variable.stage;
  return homes;
}

/// What the stage's programs are fed with, as numbers of what all are fed with.
std::vector<int> inputs_of_stage(const Module& stage, const std::vector<FedInput>& all) {
  std::vector<int> numbers;
  for (const FedInput& input : inputs_of(stage))
    numbers.push_back(static_cast<int>(std::find(all.begin(), all.end(), input) - all.begin()));
  return numbers;
}

template <class Item>
std::string lines(const std::vector<Item>& items, std::string (*text)(const Item&)) {
  std::vector<std::string> texts;
  for (const Item& item : items) texts.push_back(text(item));
  return texts.empty() ? "{}" : block("", texts, 8);
}

}  // namespace

std::string stages_text(const PipelineModule& pipeline, const Module& whole) {
  const PipelinePlan plan = plan_of(pipeline);
  const std::vector<FedInput> all = inputs_of(whole);
  std::vector<std::string> inputs;
  for (const Module& stage : pipeline.stages)
    inputs.push_back(numbers(inputs_of_stage(stage, all)));
  const std::string described = block(
      "",
      {".stages = " + std::to_string(plan.stages), ".processors = " + numbers(plan.processors),
       ".parts = " + lines(plan.parts, part_text),
       ".crossings = " + lines(plan.crossings, crossing_text), ".variables = {}"},
      4);
  return "// Which stage of the pipeline computes what, and what crosses between stages.\n"
         "const EmittedStages stages" +
         block("",
               {".plan = " + described, ".homes = " + numbers(homes_of(plan, whole)),
                ".inputs = " + braces(inputs)},
               0) +
         ";\n";
}

}  // namespace mtfc::backends
