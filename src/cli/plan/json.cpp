#include "cli/plan/json.h"

#include "plan/search/frontier.h"
#include "plan/space/ways_to_keep.h"

namespace mtfc::cli {
namespace {

JsonFields choice_json(const plan::Choice& choice) {
  return {{"mesh", json(plan::meshes_text(choice))},
          {"stages", json(choice.pipeline ? choice.pipeline->stages : 1)},
          {"submeshes",
           json(choice.pipeline && (choice.pipeline->submeshes || plan::has_own_meshes(choice)))},
          {"rules", json(joined(plan::entries_of(choice), "; "))},
          {"microbatches", json(choice.microbatches)}};
}

/// What a layout that was not predicted stands for.
const char* name(plan::Excluded::What what) {
  switch (what) {
    case plan::Excluded::What::rules:
      return "rules";
    case plan::Excluded::What::microbatches:
      return "microbatches";
    case plan::Excluded::What::pipeline:
      return "pipeline";
    case plan::Excluded::What::layout:
      break;
  }
  return "layout";
}

std::string excluded_json(const plan::Excluded& one) {
  JsonFields fields = choice_json(one.choice);
  fields.emplace_back("all_of", json(name(one.what)));
  if (one.bytes > 0)
    fields.emplace_back("bound_memory", json(one.bytes));
  else
    fields.emplace_back("bound_seconds", json(one.seconds));
  return json_object(fields);
}

std::string choice_or_null(const std::optional<plan::Choice>& choice) {
  return choice ? json_object(choice_json(*choice)) : "null";
}

}  // namespace

std::string judged_json(const plan::Judged& one) {
  JsonFields fields = choice_json(one.choice);
  fields.emplace_back("step_seconds", json(one.price.step));
  fields.emplace_back("memory", json(one.price.memory));
  fields.emplace_back("counts_run", json(one.price.counts_outside));
  fields.emplace_back("fits", json(one.fits));
  fields.emplace_back("whole", json(one.price.is_whole));
  return json_object(fields);
}

std::string trusted_to_json(const plan::Plan& plan) {
  if (!plan.is_proved() || plan.trusted_to >= 1) return "null";
  return json_object({{"step", json(plan.trusted_to)}, {"memory", json(plan.memory_trusted_to())}});
}

std::string beside_step_json(const plan::Price& price) {
  if (price.when.empty()) return "null";
  return json_object({{"bytes", json(price.memory)},
                      {"when", json(price.when)},
                      {"step_bytes", json(price.in_steps)}});
}

JsonFields plan_json(const plan::Plan& plan, const plan::Space& space, const DimTable& dims,
                     double memory) {
  std::vector<std::string> meshes, staged, submeshes, together, judged, excluded, front;
  for (const Mesh& mesh : space.meshes) meshes.push_back(json(to_string(mesh)));
  for (const Mesh& mesh : space.submeshes.meshes) submeshes.push_back(json(to_string(mesh)));
  for (const plan::StagedMesh& one : space.staged)
    staged.push_back(
        json_object({{"stages", json(one.stages)},
                     {"mesh", json(to_string(one.mesh))},
                     {"chunks", json_list(plan::chunk_numbers(space.chain, one.stages))}}));
  for (const plan::KeptTogether& one : plan::all_kept_together(space, dims))
    together.push_back(json_object({{"mesh", json(to_string(*one.mesh))},
                                    {"axes", json_list(one.axes)},
                                    {"dims", json_list(one.dims)}}));
  for (const plan::Judged& one : plan.judged) judged.push_back(judged_json(one));
  for (const plan::Excluded& one : plan.excluded) excluded.push_back(excluded_json(one));
  for (const plan::Judged* one : plan::frontier(plan)) front.push_back(judged_json(*one));
  return {{"best", plan.best ? judged_json(*plan.best) : "null"},
          {"idle_axes", json_list(plan.best ? plan::idle_axes(plan.best->choice, space.given)
                                            : std::vector<std::string>{})},
          {"smallest", plan.smallest ? judged_json(*plan.smallest) : "null"},
          {"memory_limit", json(memory)},
          {"proved", json(plan.is_proved())},
          {"trusted_to", trusted_to_json(plan)},
          {"bound_seconds", json(plan.bound)},
          {"open", json(plan.open)},
          {"open_cuts", json(plan.open_cuts)},
          {"least_memory", plan.least_memory > 0 ? json(plan.least_memory) : "null"},
          {"meshes_cut_short", json(plan.cut_short)},
          {"deviation", json(plan.deviation)},
          {"memory_deviation", json(plan.memory_deviation)},
          {"frontier", json_array(front)},
          {"space", json_object({{"meshes", json_array(meshes)},
                                 {"staged", json_array(staged)},
                                 {"submeshes", json_array(submeshes)},
                                 {"submesh_stages", json(space.submeshes.most_stages)},
                                 {"submesh_processors", json(space.submeshes.processors)},
                                 {"staged_blocks", json_list(space.chain.globs)},
                                 {"iterations", json(space.chain.blocks)},
                                 {"blocks", json_list(space.blocks)},
                                 {"dimensions", json_list(space.dims)},
                                 {"pads", json(space.pads)},
                                 {"undivided", json_list(plan::undivided_dims(space, dims))},
                                 {"inputs", json_list(space.input_dims)},
                                 {"scopes", json_list(space.scope_dims)},
                                 {"handed_over", json_list(space.handed_dims)},
                                 {"kept", json_list(space.kept_dims)},
                                 {"kept_together", json_array(together)},
                                 {"microbatches", json_list(space.microbatches)},
                                 {"updates", json(space.updates)},
                                 {"recompute", json(space.recompute)},
                                 {"recompute_iterations", json(space.recompute_iterations)},
                                 {"gathers", json(space.gathers)}})},
          {"predicted", json_array(judged)},
          {"excluded", json_array(excluded)}};
}

std::string without_json(const std::vector<plan::Without>& without) {
  std::vector<std::string> all;
  for (const plan::Without& one : without)
    all.push_back(
        json_object({{"rule", json(one.entry)},
                     {"without", one.price ? json_object({{"step_seconds", json(one.price->step)},
                                                          {"memory", json(one.price->memory)}})
                                           : "null"}}));
  return json_array(all);
}

std::string stability_json(const std::vector<plan::Stability>& stability,
                           const predict::Machine& machine) {
  std::vector<std::string> all;
  for (const plan::Stability& range : stability) {
    const predict::Level& level = machine.levels[range.level];
    all.push_back(json_object({{"link", json(level.name)},
                               {"bandwidth", json(level.bandwidth)},
                               {"from", json(level.bandwidth * range.proved.low)},
                               {"to", json(level.bandwidth * range.proved.high)},
                               {"predicted_from", json(level.bandwidth * range.predicted.low)},
                               {"predicted_to", json(level.bandwidth * range.predicted.high)},
                               {"below", choice_or_null(range.below)},
                               {"above", choice_or_null(range.above)}}));
  }
  return json_array(all);
}

}  // namespace mtfc::cli
