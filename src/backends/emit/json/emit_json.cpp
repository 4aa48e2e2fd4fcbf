#include "backends/emit/json/emit_json.h"

#include "backends/emit/json/module_json.h"
#include "backends/emit/json/schedule_json.h"

namespace mtfc::backends {
namespace {

Json source_json(const SourceSpec& source) {
  Json args = Json::array();
  for (const auto& [name, value] : source.args)
    args.push_back(
        {{"name", name}, {"value", std::visit([](const auto& v) { return Json(v); }, value)}});
  return {{"name", source.name},
          {"function", source.function},
          {"args", std::move(args)},
          {"directory", source.directory}};
}

Json initial_json(const runtime::InitialFile& file) {
  Json parameters = Json::array();
  for (const auto& [path, names, optional] : file.parameters)
    parameters.push_back({{"path", path}, {"names", names}, {"optional", optional}});
  return {{"file", file.path}, {"parameters", std::move(parameters)}};
}

Json stages_json(const PipelineModule& pipeline, const runtime::TrainPlan* plan,
                 const SourceMap& sources) {
  Json stages = Json::array();
  for (const Module& stage : pipeline.stages) stages.push_back(module_json(stage, plan, sources));
  return stages;
}

/// The keys that there are, what people look for first at the top.
Json in_order(Json all) {
  Json json = Json::object();
  for (const char* key : {"schema", "model", "mesh", "dims", "variables", "data", "inputs",
                          "initial", "stages", "programs", "schedule", "pipeline"})
    if (all.contains(key)) json[key] = std::move(all[key]);
  return json;
}

}  // namespace

std::string emit_json(const Module& module, const runtime::TrainPlan* plan,
                      const SourceMap& sources, const PipelineModule* pipeline) {
  const bool apart = pipeline && !pipeline->has_one_mesh();
  Json json = apart ? Json::object({{"stages", stages_json(*pipeline, plan, sources)}})
                    : module_json(module, plan, sources);
  Json data = Json::array(), initial = Json::array();
  if (plan) {
    for (const SourceSpec& source : plan->sources) data.push_back(source_json(source));
    for (const runtime::InitialFile& file : plan->initial) initial.push_back(initial_json(file));
  }
  json["schema"] = kJsonSchema;
  json["model"] = apart ? pipeline->stages.front().model_path : module.model_path;
  json["data"] = std::move(data);
  json["initial"] = std::move(initial);
  json["schedule"] = schedule_json(module, pipeline, plan);
  if (pipeline) json["pipeline"] = pipeline_json(*pipeline);
  // A name that is not UTF-8 must not end the program.
  return in_order(std::move(json)).dump(1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace mtfc::backends
