#include "lowering/graph/append_update.h"

#include "ir/param_settings.h"
#include "lowering/graph/gradient_norm.h"
#include "lowering/graph/loss_scale.h"
#include "optim/optimizers.h"
#include "optim/schedules.h"
#include "support/check.h"

namespace mtfc::lowering {

namespace {

using optim::Term;

/// What the `params` groups say of a parameter.
template <class T>
T group_setting(const Model& model, const std::string& path, const char* key, T otherwise) {
  const ParamSetting found = find_param_setting(model.settings.params, path, key);
  return found.value ? std::get<T>(*found.value) : otherwise;
}

Term times(Term gradient, Term scale) { return gradient * cast(scale, gradient.dtype()); }

/// All gradients times min(1, clip / (norm + 1e-6)), as torch.nn.utils.clip_grad_norm_. The norm is
/// that of the scaled loss's gradients, unscaled: nobody but its own update reads an unscaled
/// gradient then, so that it is never stored.
void clip(const Model& model, ops::Builder& build, const std::vector<Trained>& trained,
          std::vector<ValueId>& gradients) {
  if (trained.empty()) return;
  const Term norm = unscaled(model, build, sqrt(sum_of_squares(build, trained)));
  build.graph().outputs.push_back({Output::Kind::report, "grad_norm", norm.id});
  const Term scale = min(model.settings.clip / (norm + 1e-6), 1);
  for (ValueId& g : gradients) g = times(Term{&build, wide(build, g)}, scale).id;
}

/// The new variable, its value before the first step and after each. Returns its path.
std::string add_state(Model& model, Graph& graph, const Variable& parameter,
                      const optim::State& state) {
  Variable variable = parameter;
  variable.path = optim::state_path(state.name, parameter.path);
  variable.kind = Variable::Kind::optimizer;
  variable.type = state.type;
  variable.trainable = false;
  ops::Builder init(model.init, model.dims);
  const ValueId first = init.constant(state.initial, state.type.dtype, state.type.dims);
  MTFC_CHECK(state.after.valid(), "the state `" + variable.path + "` is never written");
  model.init.outputs.push_back({Output::Kind::variable, variable.path, first});
  graph.outputs.push_back({Output::Kind::variable, variable.path, state.after});
  model.variables.push_back(variable);
  return variable.path;
}

}  // namespace

UpdateTable add_update(Model& model, Graph& graph, const std::vector<Trained>& trained) {
  const SettingCall& call = model.settings.optimizer;
  const optim::Optimizer* optimizer = optim::find_optimizer(call.function);
  const SettingCall::Value* schedule = optim::find_argument(call, "lr");
  MTFC_CHECK(optimizer && schedule, "no optimiser `" + call.function + "` with a learning rate");

  ops::Builder build = update_builder(model, graph);
  const Term rate{&build, optim::learning_rate(build, *schedule, model.settings.steps)};
  graph.outputs.push_back({Output::Kind::report, "lr", rate.id});
  std::vector<ValueId> gradients;
  for (const Trained& one : trained) gradients.push_back(one.gradient);
  if (model.settings.clip > 0) clip(model, build, trained, gradients);

  const double decay = optim::number(call, "decay");
  UpdateTable table;
  for (std::size_t i = 0; i < trained.size(); ++i) {
    const Variable parameter = model.variables[trained[i].variable];  // a copy: the list grows
    build.role.block = build.role.parameter = parameter.path;
    optim::Update u(build, call);
    u.path = parameter.path;
    u.p = {&build, wide(build, trained[i].before)};
    u.g = {&build, build.cast(gradients[i], u.p.dtype())};
    u.rate = rate * group_setting(model, u.path, "lr_scale", 1.0);
    u.decay = group_setting(model, u.path, "decay", decay);
    u.trust = group_setting(model, u.path, "trust", true);
    optimizer->update(u);
    const ValueId after = build.cast(u.after.id, parameter.type.dtype);
    graph.outputs.push_back({Output::Kind::variable, u.path, after});
    ParameterUpdate& update = table.emplace_back();
    update.parameter = u.path;
    update.gradient = trained[i].differentiated;
    for (const optim::State& state : u.states)
      update.states.push_back(add_state(model, graph, parameter, state));
  }
  return table;
}

}  // namespace mtfc::lowering
