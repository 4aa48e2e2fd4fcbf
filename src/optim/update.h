// The update of one parameter, as an optimiser writes it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "optim/form.h"
#include "optim/term.h"

namespace mtfc::optim {

/// What an optimiser keeps of a parameter from step to step.
struct State {
  std::string name;  // "m": the variable optimizer.m.PATH
  TensorType type;
  double initial = 0;
  ValueId after;  // its value after the step
};

/// "optimizer.NAME.PATH"
std::string state_path(std::string_view name, std::string_view parameter);

/// In: a parameter, its gradient and what the step is. Out: the states and the parameter after it.
/// Formulas are elementwise or reductions over named dimensions: where anything lives, and whether
/// it is split, is decided later.
class Update {
 public:
  Update(ops::Builder& build, const SettingCall& call) : build_(build), call_(call) {}

  // --- in; everything in the parameter's type
  std::string path;
  Term p, g;
  Term rate;          // f64 scalar: the learning rate of this parameter
  double decay = 0;   // its weight decay
  bool trust = true;  // whether a layer-wise ratio applies
  double number(const char* argument) const { return optim::number(call_, argument); }
  bool flag(const char* argument) const { return optim::flag(call_, argument); }
  const DimTable& dims() const { return build_.dims(); }
  /// The number of the step from 1, an f64 scalar.
  Term step_number();

  // --- what formulas share
  Term of(Term scalar) { return cast(scalar, p.dtype()); }
  Term lr() { return of(rate); }
  /// g + decay * p
  Term decayed_gradient() const { return decay == 0 ? g : g + p * decay; }
  /// p - lr * decay * p
  Term decayed_parameter() { return decay == 0 ? p : p * (1 - lr() * decay); }

  // --- out
  /// A new state with the parameter's dimensions, or some of them; its value before the step.
  Term state(const char* name, double initial = 0) { return state(name, p.dims(), initial); }
  Term state(const char* name, DimList dims, double initial = 0);
  /// Its value after the step, which is passed through.
  Term keep(const char* name, Term value);
  /// A new state that is a moving average: before * beta + fresh * (1 - beta).
  Term average(const char* name, double beta, Term fresh);
  Term after;  // the parameter
  std::vector<State> states;

 private:
  ops::Builder& build_;
  const SettingCall& call_;
};

}  // namespace mtfc::optim
