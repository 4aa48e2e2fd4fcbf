#include "cost/stage_lines.h"

#include <tuple>

#include "ir/stage_meshes.h"

namespace mtfc::cost {

std::vector<LineShard> line_shards(const PipelineModule& module, const Assignment& assignment,
                                   const SourceMap& sources) {
  std::set<std::string> crossing;
  for (const Crossing& one : module.cut.crossings) crossing.insert(one.variable);
  std::vector<LineShard> all;
  std::map<std::tuple<std::string, std::string, bool, std::string>, std::size_t> known;
  const bool alike = assignment.stage_meshes.empty();
  for (int stage = 0; stage < static_cast<int>(module.stages.size()); ++stage) {
    const Assignment own = of_stage(assignment, stage);
    const Module& made = module.stages[static_cast<std::size_t>(stage)];
    for (LineShard& shard : single_shards(made, own, sources, crossing)) {
      const auto [at, fresh] = known.try_emplace(
          {shard.source, shard.name, shard.called, alike ? "" : shard.text()}, all.size());
      if (fresh) all.push_back(std::move(shard));
      all[at->second].instances.front().stages.push_back(stage);
    }
  }
  return instances_together(std::move(all));
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
