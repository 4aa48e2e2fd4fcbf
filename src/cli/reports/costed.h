// The cost of a model's step under one layout, with stages or without, for commands that compare.
#pragma once
#include <functional>
#include <optional>

#include "cli/reports/costed_pipeline.h"
#include "cli/session/judge_layout.h"
#include "cost/cost.h"

namespace mtfc::cli {

struct Costed {
  Mesh mesh;
  cost::Cost cost;
  bool step = false;  // a training step; else one run
  /// Of a layout with stages, whose mesh is then that of each and whose cost is that of all
  /// processors together (cost/all_stages.h).
  std::optional<CostedPipeline> pipeline = {};
};

/// Of all stages.
std::int64_t processors(const Costed& costed);
/// "4 stages (1f1b) of mesh rows=2, cols=2 each"
std::string mesh_text(const Costed& costed);
/// Of all processors together, with stages or without.
cost::Cost cost_of_all(const Costed& costed);

/// Of the module's step, or where there is nothing to train of its `run`. Absent: reported, the
/// model computes nothing.
std::optional<Costed> costed(Session& session, const Module& module,
                             const cost::Detail& detail = {});

/// With what a run of the model holds outside of steps.
std::optional<Costed> costed_run(Session& session, const Model& model, const Module& module,
                                 const cost::Detail& detail);

/// Of a layout that was judged, on the machine that it names.
std::optional<Costed> costed(Session& session, const Model& model, const Assignment& assignment,
                             const std::vector<Hardware>& hardware, int& status);

/// The layout of this path (none: --rules and --mesh) after `change`. Absent: reported; `status`
/// says how to end.
std::optional<Costed> costed(Session& session, const Model& model, const std::string& path,
                             const ChangeLayout& change, int& status);

}  // namespace mtfc::cli
