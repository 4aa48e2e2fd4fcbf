#include "backends/emit/cpp/stages_text.h"

#include <algorithm>

#include "backends/emit/cpp/cpp_text.h"
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

/// Where the variables that do not cross live: stage, and number in its module.
std::vector<std::string> variables_of_stages(const PipelinePlan& plan,
                                             const PipelineModule& pipeline) {
  std::vector<std::string> texts;
  for (const PipelinePlan::Variable& variable : plan.variables) {
    const auto& all = pipeline.stages[static_cast<std::size_t>(variable.stage)].variables;
    const auto found = std::find_if(all.begin(), all.end(), [&](const ModuleVariable& one) {
      return one.path == variable.info.path;
    });
    texts.push_back(
        numbers(std::vector<int>{variable.stage, static_cast<int>(found - all.begin())}));
  }
  return texts;
}

}  // namespace

std::string stage_space(std::size_t stage) { return "stage_" + std::to_string(stage); }

std::string stages_text(const PipelineModule& pipeline) {
  const PipelinePlan plan = plan_of(pipeline);
  std::vector<std::string> modules;
  for (std::size_t stage = 0; stage < pipeline.stages.size(); ++stage)
    modules.push_back("&" + stage_space(stage) + "::module");
  const std::string described = block(
      "",
      {".stages = " + std::to_string(plan.stages), ".processors = " + numbers(plan.processors),
       ".parts = " + lines(plan.parts, part_text, 8),
       ".crossings = " + lines(plan.crossings, crossing_text, 8),
       ".outputs = " + lines(plan.outputs, string_literal, 8), ".variables = {}"},
      4);
  return "// Which stage of the pipeline computes what, and what crosses between stages.\n"
         "const EmittedStages stages" +
         block("",
               {".plan = " + described, ".modules = " + wrapped(modules, 6),
                ".variables = " + wrapped(variables_of_stages(plan, pipeline), 6)},
               0) +
         ";\n";
}

}  // namespace mtfc::backends
