// sgd, momentum, adam and adamw with PyTorch's formulas (torch.optim; Kingma and Ba, arXiv
// 1412.6980, algorithm 1; Loshchilov and Hutter, arXiv 1711.05101, algorithm 2).
#include "lowering/optimizer.h"

#include "lowering/settings.h"
#include "support/check.h"
#include "support/glob.h"

namespace mtfc::lowering {

namespace {

/// Appends formulas to model.train and state to the model.
class Updater {
 public:
  explicit Updater(Model& model) : model_(model), b(model.train, model.dims) {
    b.origin.phase = Phase::update;
    b.origin.span = model.settings.span;
  }

  void run(const std::vector<std::size_t>& parameters, const std::vector<ValueId>& values,
           std::vector<ValueId> gradients) {
    const SettingCall& optimizer = model_.settings.optimizer;
    const SettingCall::Value* schedule = find_setting(optimizer, "lr");
    MTFC_CHECK(schedule, "the optimiser has no learning rate");
    const ValueId rate = learning_rate(b, *schedule, model_.settings.steps);
    model_.train.outputs.push_back({Output::Kind::report, "lr", rate});
    if (model_.settings.clip > 0) clip(gradients);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (gradients[i].valid())
        update(model_.variables[parameters[i]], values[i], gradients[i], rate);
    }
  }

 private:
  ValueId num(double v) { return b.constant(v, dtype_); }
  ValueId add(ValueId x, ValueId y) { return b.binary("add", x, y); }
  ValueId sub(ValueId x, ValueId y) { return b.binary("sub", x, y); }
  ValueId mul(ValueId x, ValueId y) { return b.binary("mul", x, y); }
  ValueId div(ValueId x, ValueId y) { return b.binary("div", x, y); }

  /// All gradients times min(1, clip / (norm + 1e-6)), as torch.nn.utils.clip_grad_norm_.
  void clip(std::vector<ValueId>& gradients) {
    ValueId total;
    for (ValueId g : gradients) {
      if (!g.valid()) continue;
      dtype_ = b.type(g).dtype;
      const ValueId squares = b.reduce_to(Combine::sum, mul(g, g), {});
      total = total.valid() ? add(total, squares) : squares;
    }
    if (!total.valid()) return;
    const ValueId norm = b.unary("sqrt", total);
    model_.train.outputs.push_back({Output::Kind::report, "grad_norm", norm});
    const ValueId ratio = div(num(model_.settings.clip), add(norm, num(1e-6)));
    const ValueId scale = b.binary("min", num(1), ratio);
    for (ValueId& g : gradients) {
      if (g.valid()) g = mul(g, scale);
    }
  }

  double group_number(const std::string& path, const char* key, double otherwise) {
    for (const ParamSettings& group : model_.settings.params) {
      for (const std::string& glob : group.globs) {
        if (!glob_matches(glob, path)) continue;
        const auto it = group.settings.find(key);
        if (it == group.settings.end()) continue;
        if (const double* d = std::get_if<double>(&it->second)) otherwise = *d;
      }
    }
    return otherwise;
  }

  /// A new zero variable beside the parameter; its value before the step.
  ValueId state(const Variable& parameter, const char* what) {
    Variable variable = parameter;
    variable.path = "optimizer." + std::string(what) + "." + parameter.path;
    variable.kind = Variable::Kind::optimizer;
    variable.trainable = false;
    ops::Builder init(model_.init, model_.dims);
    const ValueId zero = init.constant(0, variable.type.dtype, variable.type.dims);
    model_.init.outputs.push_back({Output::Kind::variable, variable.path, zero});
    added_.push_back(variable);
    return b.read(variable.path, variable.type);
  }
  void becomes(const Variable& parameter, const char* what, ValueId value) {
    const std::string path =
        *what ? "optimizer." + std::string(what) + "." + parameter.path : parameter.path;
    model_.train.outputs.push_back({Output::Kind::variable, path, value});
  }

  void update(const Variable& variable, ValueId p, ValueId g, ValueId rate) {
    const Variable parameter = variable;  // a copy: state() grows the list
    const SettingCall& o = model_.settings.optimizer;
    dtype_ = b.type(p).dtype;
    b.origin.scope = parameter.path;
    rate = mul(rate, b.constant(group_number(parameter.path, "lr_scale", 1), DType::f64));
    const ValueId lr = b.cast(rate, dtype_);
    const double decay = group_number(parameter.path, "decay", setting(o, "decay", 0));
    if (o.function == "adamw" && decay != 0)
      p = mul(p, sub(num(1), mul(lr, num(decay))));
    else if (decay != 0)
      g = add(g, mul(p, num(decay)));

    if (o.function == "adam" || o.function == "adamw") {
      adam(parameter, p, g, rate);
    } else {
      sgd(parameter, p, g, lr);
    }
  }

  void sgd(const Variable& parameter, ValueId p, ValueId g, ValueId lr) {
    const SettingCall& o = model_.settings.optimizer;
    const double mu = setting(o, o.function == "momentum" ? "beta" : "momentum", 0);
    if (mu != 0) {
      const ValueId m = add(mul(state(parameter, "m"), num(mu)), g);
      becomes(parameter, "m", m);
      g = setting(o, "nesterov", 0) != 0 ? add(g, mul(m, num(mu))) : m;
    }
    becomes(parameter, "", sub(p, mul(lr, g)));
  }

  void adam(const Variable& parameter, ValueId p, ValueId g, ValueId rate) {
    const SettingCall& o = model_.settings.optimizer;
    const double beta1 = setting(o, "beta1", 0.9), beta2 = setting(o, "beta2", 0.999);
    const ValueId m = add(mul(state(parameter, "m"), num(beta1)), mul(g, num(1 - beta1)));
    const ValueId v = add(mul(state(parameter, "v"), num(beta2)), mul(mul(g, g), num(1 - beta2)));
    becomes(parameter, "m", m);
    becomes(parameter, "v", v);
    // p - (lr / c1) m / (sqrt(v) / sqrt(c2) + eps); the scalars in f64, since 1 - 0.999^1 cancels.
    auto f64 = [&](double value) { return b.constant(value, DType::f64); };
    const ValueId turn = b.binary("add", b.cast(b.step(), DType::f64), f64(1));
    const ValueId c1 = b.binary("sub", f64(1), b.binary("pow", f64(beta1), turn));
    const ValueId c2 = b.binary("sub", f64(1), b.binary("pow", f64(beta2), turn));
    const ValueId size = b.cast(b.binary("div", rate, c1), dtype_);
    const ValueId root = b.cast(b.binary("div", f64(1), b.unary("sqrt", c2)), dtype_);
    const ValueId below = add(mul(b.unary("sqrt", v), root), num(setting(o, "eps", 1e-8)));
    becomes(parameter, "", sub(p, mul(size, div(m, below))));
  }

  Model& model_;
  ops::Builder b;
  DType dtype_ = DType::f32;

 public:
  std::vector<Variable> added_;
};

}  // namespace

void add_update(Model& model, const std::vector<std::size_t>& parameters,
                const std::vector<ValueId>& values, const std::vector<ValueId>& gradients) {
  Updater updater(model);
  updater.run(parameters, values, gradients);
  model.variables.insert(model.variables.end(), updater.added_.begin(), updater.added_.end());
}

}  // namespace mtfc::lowering
