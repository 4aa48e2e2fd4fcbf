#include "optim/update.h"

#include "support/check.h"
#include "support/program_names.h"

namespace mtfc::optim {

std::string state_path(std::string_view name, std::string_view parameter) {
  return owner_names::path(owner_names::optimizer,
                           std::string(name) + "." + std::string(parameter));
}

Term Update::step_number() { return cast({&build_, build_.step()}, DType::f64) + 1; }

Term Update::state(const char* name, DimList dims, double initial) {
  const TensorType type{p.dtype(), std::move(dims)};
  states.push_back({name, type, initial, {}});
  return {&build_, build_.read(state_path(name, path), type)};
}

Term Update::keep(const char* name, Term value) {
  for (State& state : states) {
    if (state.name != name) continue;
    // The state's own order of dimensions.
    state.after = build_.broadcast(value.id, state.type.dims);
    return {&build_, state.after};
  }
  MTFC_CHECK(false, "no state `" + std::string(name) + "`");
}

Term Update::average(const char* name, double beta, Term fresh) {
  const Term part = fresh * (1 - beta);
  return keep(name, state(name) * beta + part);
}

}  // namespace mtfc::optim
