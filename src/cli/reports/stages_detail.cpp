#include "cli/reports/stages_detail.h"

#include <algorithm>

#include "cli/options/usage.h"
#include "cli/reports/formulas_text.h"
#include "cost/mesh_tensorflow.h"
#include "cost/symbolic/formulas.h"
#include "messages/wrap.h"
#include "support/text.h"

namespace mtfc::cli {
namespace {

/// Without what crosses in evaluations, as StageCost counts.
Module module_of_step(const PipelineModule& pipeline, std::size_t stage) {
  Module module = pipeline.stages[stage];
  for (const Crossing& crossing : pipeline.cut.crossings) {
    const StagePart& from = pipeline.cut.parts[static_cast<std::size_t>(crossing.from)];
    const bool of_step =
        std::any_of(pipeline.step.begin(), pipeline.step.end(),
                    [&](const StepProgram& step) { return step.program == from.program; });
    std::erase_if(module.variables, [&](const ModuleVariable& variable) {
      return !of_step && variable.path == crossing.variable;
    });
  }
  return module;
}

std::vector<cost::Formulas> formulas_of(const CostedPipeline& costed) {
  std::vector<cost::Formulas> all;
  for (std::size_t i = 0; i < costed.cost.stages.size(); ++i)
    all.push_back(cost::formulas_of(module_of_step(costed.module, i), costed.cost.stages[i].cost));
  return all;
}

}  // namespace

std::string stages_formulas_text(const CostedPipeline& costed, bool leading) {
  std::vector<std::string> texts;
  for (const cost::Formulas& formulas : formulas_of(costed))
    texts.push_back(leading ? leading_text(formulas) : formulas_text(formulas));
  std::string all;
  for (std::size_t i = 0, end = 0; i < texts.size(); i = end) {
    end = i + 1;
    while (end < texts.size() && texts[end] == texts[i]) ++end;
    all += (end > i + 1 ? "stages " + std::to_string(i) + "-" + std::to_string(end - 1)
                        : "stage " + std::to_string(i)) +
           "\n" + texts[i] + "\n";
  }
  return all +
         wrapped(
             "of one processor of a stage, without what it sends to other stages (the table "
             "without "
             "--symbolic has it); memory with what crosses for one micro-batch in flight",
             {0, 2, output_columns()}) +
         "\n";
}

std::string stages_formulas_json(const CostedPipeline& costed) {
  std::vector<std::string> all;
  for (const cost::Formulas& formulas : formulas_of(costed)) all.push_back(cost::to_json(formulas));
  return json_array(all);
}

std::map<std::string, double> stages_counters(const PipelineModule& module) {
  std::map<std::string, double> all;
  for (const Module& stage : module.stages)
    for (const auto& [path, count] : cost::mesh_tensorflow_counters(stage)) all[path] += count;
  return all;
}

}  // namespace mtfc::cli
