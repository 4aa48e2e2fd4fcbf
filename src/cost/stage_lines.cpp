#include "cost/stage_lines.h"

#include <algorithm>

#include "ir/stage_meshes.h"

namespace mtfc::cost {

std::vector<LineShard> line_shards(const PipelineModule& module, const Assignment& assignment,
                                   const SourceMap& sources) {
  std::set<std::string> crossing;
  for (const Crossing& one : module.cut.crossings) crossing.insert(one.variable);
  std::vector<LineShard> all;
  const bool alike = assignment.stage_meshes.empty();
  for (std::size_t i = 0; i < module.stages.size(); ++i) {
    const Assignment own = of_stage(assignment, static_cast<int>(i));
    for (LineShard& shard : line_shards(module.stages[i], own, sources, crossing))
      if (std::none_of(all.begin(), all.end(), [&](const LineShard& other) {
            return other.source == shard.source && other.name == shard.name &&
                   other.called == shard.called && (alike || other.text() == shard.text());
          }))
        all.push_back(std::move(shard));
  }
  return all;
}

LineStages line_stages(const PipelineModule& module, const SourceMap& sources) {
  LineStages lines;
  for (std::size_t i = 0; i < module.stages.size(); ++i)
    for (const StepProgram& step : module.stages[i].step)
      for (const Instruction& at : module.stages[i].find(step.program)->instructions) {
        for (const Span& span : {at.origin.span, at.origin.call}) {
          if (!span.valid()) continue;
          std::vector<int>& stages = lines[source_text(sources, span)];
          if (stages.empty() || stages.back() != static_cast<int>(i))
            stages.push_back(static_cast<int>(i));
        }
      }
  return lines;
}

}  // namespace mtfc::cost
