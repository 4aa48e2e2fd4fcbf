// What `mtfc cost` adds to the costs of stages when it is asked for.
#pragma once
#include "cli/reports/costed_pipeline.h"

namespace mtfc::cli {

/// --symbolic: the formulas of each stage, those of like stages once; of --json a list.
std::string stages_formulas_text(const CostedPipeline& costed, bool leading);
std::string stages_formulas_json(const CostedPipeline& costed);

/// --counters: of all stages together.
std::map<std::string, double> stages_counters(const PipelineModule& module);

}  // namespace mtfc::cli
