#include "cli/session/train_plan.h"

#include <algorithm>

#include "ir/param_settings.h"
#include "lowering/graph/index_inputs.h"

namespace mtfc::cli {
namespace {

runtime::InputSpec input_spec(const Model& model, const Input& input) {
  runtime::InputSpec spec{input.name, input.type.dtype, {}, {}, input.source, input.field, 0, ""};
  for (const DimId dim : input.type.dims) {
    spec.extents.push_back(model.dims.size(dim));
    spec.dims.push_back(model.dims.name(dim));
  }
  return spec;
}

/// The names that a parameter may have in a file: its path, and that without the first, the first
/// two, ... of the segments that its pattern spells out before its first `*`. So `model.embed.wte`,
/// matched by "model.embed.**", may be `embed.wte` or `wte`.
std::vector<std::string> names_in_file(const std::string& path, const std::string& glob) {
  std::vector<std::string> names = {path};
  const std::string fixed = glob.substr(0, glob.find('*'));
  for (std::size_t dot = fixed.find('.'); dot != fixed.npos; dot = fixed.find('.', dot + 1))
    names.push_back(path.substr(dot + 1));
  return names;
}

/// The sizes that values of inputs must stay below.
void set_index_ranges(const Model& model, runtime::TrainPlan& plan) {
  for (const lowering::IndexInput& index : lowering::find_index_inputs(model))
    for (runtime::InputSpec& input : plan.inputs) {
      if (input.name != index.input) continue;
      input.ids = model.dims.size(index.dim);
      input.ids_dim = model.dims.name(index.dim);
    }
}

}  // namespace

std::vector<runtime::InitialFile> initial_files(const Model& model) {
  std::vector<runtime::InitialFile> files;
  for (const Variable& variable : model.variables) {
    const bool state = variable.kind == Variable::Kind::state;
    if (variable.kind != Variable::Kind::parameter && !state) continue;
    const ParamSetting init = find_param_setting(model.settings.params, variable.path, "init");
    if (init.value == nullptr) continue;
    const auto& path = std::get<std::string>(*init.value);
    if (path == no_initial_file) continue;
    auto file = std::find_if(files.begin(), files.end(),
                             [&](const runtime::InitialFile& f) { return f.path == path; });
    if (file == files.end()) file = files.insert(file, {path, {}});
    file->parameters.push_back({variable.path, names_in_file(variable.path, *init.glob), state});
  }
  return files;
}

runtime::TrainPlan make_train_plan(const Model& model) {
  runtime::TrainPlan plan;
  plan.model = model.path;
  plan.sources.assign(model.sources.begin(), model.sources.end());
  for (const Input& input : model.inputs) plan.inputs.push_back(input_spec(model, input));
  plan.evaluation_microbatches = model.evaluation.count;
  plan.initial = initial_files(model);
  set_index_ranges(model, plan);
  plan.steps = model.settings.steps;
  plan.epochs = model.settings.epochs;
  plan.eval_every = model.settings.eval_every;
  plan.checkpoint_every = model.settings.checkpoint_every;
  plan.keep = model.settings.keep;
  plan.optimizer = model.settings.optimizer.function;
  if (model.settings.loss_scale.growth == 0) plan.loss_scale = model.settings.loss_scale.value;
  plan.on_nan = model.settings.on_nan;
  plan.checkpoint = model.settings.checkpoint;
  plan.seed = model.settings.seed;
  return plan;
}

runtime::TrainPlan make_train_plan(const Session& session, const Model& model) {
  runtime::TrainPlan plan = make_train_plan(model);
  if (!session.checkpoint) return plan;
  const auto& recorded = session.checkpoint->record.tokens;
  for (SourceSpec& source : plan.sources)
    if (const auto table = recorded.find(source.name); table != recorded.end())
      source.tokens = table->second;
  return plan;
}

void report_data_failure(Session& session, const Model& model, const runtime::Error& error) {
  const Span location = location_of(model, error.subject);
  session.report_failure(
      error.unreadable ? DiagKind::unreadable_file : DiagKind::data_does_not_fit, error,
      location.valid() ? std::vector<Label>{{location, "", true}} : std::vector<Label>{});
}

Span location_of(const Model& model, const std::string& subject) {
  for (const Input& input : model.inputs)
    if (input.name == subject) return input.declared;
  for (const DataSource& source : model.sources)
    if (source.name == subject) return source.span;
  for (const Variable& variable : model.variables)  // its first values
    if (variable.path == subject)
      if (const auto init = find_param_setting(model.settings.params, subject, "init"); init.group)
        return init.group->init_span;
  return {};
}

}  // namespace mtfc::cli
