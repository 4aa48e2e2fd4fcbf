#include "cli/plan/padded.h"

#include <algorithm>

#include "messages/wrap.h"
#include "support/figures.h"
#include "support/text.h"

namespace mtfc::cli {
namespace {

/// All axes of the mesh for what the inputs share out. Nothing: it is of the space, or is ruled.
std::optional<plan::Split> padded_split(const plan::Space& space, const DimTable& dims) {
  if (space.meshes.empty() || space.input_dims.empty()) return std::nullopt;
  plan::Split split{space.input_dims.front(), {}};
  for (const MeshAxis& axis : space.meshes.front().axes) split.axes.push_back(axis.name);
  const std::vector<plan::Split> divided =
      plan::splits_of(space, split.dim, space.meshes.front(), dims);
  if (split.axes.empty() || !plan::has(space.dims, split.dim) ||
      std::find(divided.begin(), divided.end(), split) != divided.end() ||
      !plan::goes_with(space, split, {}))
    return std::nullopt;
  return split;
}

}  // namespace

std::optional<plan::Judged> padded_batch(const plan::Plan& plan, const plan::Space& space,
                                         const DimTable& dims, const plan::Models& models,
                                         const SourceMap& sources, const predict::Machine& machine,
                                         double memory, bool quickly) {
  const std::optional<plan::Split> split = padded_split(space, dims);
  if (space.pads || !split || !plan.best) return std::nullopt;
  // Rules of a plan must divide; what is given to it need not.
  Layout given = space.given;
  given.rules.push_back({split->dim, false, false, split->axes, {}, {}, {}});
  given.rules.back().axis_spans.resize(split->axes.size());
  plan::Pricer pricer(models, sources, machine, given);
  std::optional<plan::Judged> best;
  for (const bool shared : {false, true}) {
    if (shared && !space.updates) continue;
    plan::Choice choice{space.meshes.front()};
    choice.microbatches = space.microbatches.front();
    choice.sharded_update = shared;
    auto price = quickly ? pricer.predicted(choice, memory) : pricer.whole(choice);
    if (!price || price->memory > memory || price->step >= plan.best->price.step ||
        (best && price->step >= best->price.step))
      continue;
    if (price->is_whole) pricer.count_beside_step(choice, *price);
    if (price->memory > memory) continue;
    best = plan::Judged{choice, *price, true};
  }
  if (best) best->choice.rules = {*split};
  return best;
}

std::string padded_text(const std::optional<plan::Judged>& padded) {
  if (!padded) return "";
  return wrapped("With padding, which plans look at with `--pad`, a step of " +
                     plan::description(padded->choice) + " on mesh " +
                     to_string(padded->choice.mesh) + " takes " + duration(padded->price.step) +
                     ", and a processor holds " + scaled(padded->price.memory, "B") + ".",
                 {}) +
         "\n";
}

}  // namespace mtfc::cli
