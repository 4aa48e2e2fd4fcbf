#include "lowering/graph/loss_scale.h"

#include <limits>
#include <map>

#include "lowering/graph/gradient_norm.h"
#include "optim/loss_scale.h"
#include "support/program_names.h"

namespace mtfc::lowering {

namespace {

using optim::Term;

const std::string scale_path = owner_names::loss_scale, good_path = owner_names::good_steps;
const TensorType scale_type{DType::f32, {}}, good_type{DType::i32, {}};

bool scales(const Model& model) {
  return model.settings.present &&
         (model.settings.loss_scale.value != 1 || model.settings.loss_scale.growth > 0);
}

/// The scale of this step, in the type of what it multiplies or divides.
ValueId scale_value(const Model& model, ops::Builder& build, DType dtype) {
  const LossScale& scale = model.settings.loss_scale;
  if (scale.growth == 0) return build.constant(scale.value, dtype);
  return build.cast(build.read(scale_path, scale_type), dtype);
}

/// Whether all are finite: what is not shows in the sum of their squares. That is infinite, too,
/// where the norm is beyond 1e19, which a smaller scale mends if anything does.
Term all_finite(ops::Builder& build, const std::vector<Trained>& trained) {
  if (trained.empty()) return {&build, build.constant(1, DType::boolean)};
  const Term total = cast(sum_of_squares(build, trained), DType::f32);
  const Term most = total.like(static_cast<double>(std::numeric_limits<float>::max()));
  return {&build, build.binary("le", total.id, most.id)};
}

void add_variable(Model& model, Graph& graph, const std::string& path, const TensorType& type,
                  double initial, ValueId after) {
  ops::Builder init(model.init, model.dims);
  const ValueId first = init.constant(initial, type.dtype);
  model.init.outputs.push_back({Output::Kind::variable, path, first});
  graph.outputs.push_back({Output::Kind::variable, path, after});
  model.variables.push_back({path, type, Variable::Kind::optimizer, false, {}, {}});
}

}  // namespace

ops::Builder update_builder(const Model& model, Graph& graph) {
  ops::Builder build(graph, model.dims);
  build.origin.phase = Phase::update;
  build.role.kind = StepRole::Kind::update;
  build.origin.span = model.settings.span;
  return build;
}

ValueId loss_seed(const Model& model, ops::Builder& build, ValueId loss) {
  const DType dtype = build.type(loss).dtype;
  return scales(model) ? scale_value(model, build, dtype) : build.constant(1, dtype);
}

Term unscaled(const Model& model, ops::Builder& build, Term norm) {
  return scales(model) ? norm / Term{&build, scale_value(model, build, norm.dtype())} : norm;
}

ValueId unscaled(const Model& model, ops::Builder& build, ValueId gradient,
                 const std::string& parameter) {
  if (!scales(model)) return gradient;
  const Origin before = build.origin;
  const StepRole role = build.role;
  build.origin.phase = Phase::update;
  build.role.kind = StepRole::Kind::update;  // which takes complete sums only
  build.role.parameter = parameter;
  build.role.recompute = 0;  // whatever was differentiated last
  build.role.again = false;
  const ValueId scale = scale_value(model, build, build.type(gradient).dtype);
  const ValueId result = build.binary("div", gradient, scale);
  build.origin = before;
  build.role = role;
  return result;
}

void skip_bad_steps(Model& model, Graph& graph, const std::vector<Trained>& trained,
                    const UpdateTable& updates) {
  const LossScale& scale = model.settings.loss_scale;
  if (!scales(model) || scale.growth == 0) return;
  ops::Builder build = update_builder(model, graph);
  const Term fine = all_finite(build, trained);
  std::map<std::string, std::string> owners;  // of what an update writes: its parameter
  for (const ParameterUpdate& update : updates) {
    owners[update.parameter] = update.parameter;
    for (const std::string& state : update.states) owners[state] = update.parameter;
  }
  std::map<std::string, TensorType> types;
  for (const Variable& v : model.variables) types[v.path] = v.type;
  for (Output& output : graph.outputs) {
    if (output.kind != Output::Kind::variable) continue;
    const TensorType& type = types.at(output.name);
    build.role.block = graph.producer(output.value).role.block;
    // Part of the variable's update, wherever that is carried out.
    const auto owner = owners.find(output.name);
    build.role.parameter = owner == owners.end() ? "" : owner->second;
    const ValueId before = build.read(output.name, type);
    output.value = build.broadcast(build.where(fine.id, output.value, before), type.dims);
  }
  build.role.block.clear();
  build.role.parameter.clear();
  const optim::Scale now{{&build, build.read(scale_path, scale_type)},
                         {&build, build.read(good_path, good_type)}};
  const optim::Scale then = next(now, fine, scale.growth);
  const ValueId skipped = build.cast(build.unary("logical_not", fine.id), DType::i32);
  graph.outputs.push_back({Output::Kind::report, "loss_scale", now.value.id});
  graph.outputs.push_back({Output::Kind::report, "skipped", skipped});
  add_variable(model, graph, scale_path, scale_type, scale.value, then.value.id);
  add_variable(model, graph, good_path, good_type, 0, then.good.id);
}

}  // namespace mtfc::lowering
