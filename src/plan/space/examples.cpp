#include "plan/space/examples.h"

#include <algorithm>

#include "ir/iterations.h"
#include "predict/kernel_time.h"

namespace mtfc::plan {

using cost::Work;

std::set<std::string> example_dims(const Model& model) {
  std::set<std::string> names;
  for (const Input& input : model.inputs)
    if (!input.type.dims.empty()) names.insert(model.dims[input.type.dims.front()].name);
  return names;
}

Examples::Examples(const Module& module, const Program& program, const std::set<std::string>& names)
    : program_(program), is_example_(module.dims.size()) {
  for (std::size_t i = 0; i < is_example_.size(); ++i)
    is_example_[i] = names.contains(module.dims.all()[i].name);
}

bool Examples::count(const Instruction& at, const Work& work) const {
  if (work.kind == Work::Kind::none || work.kind == Work::Kind::wait || work.async) return false;
  if (at.origin.phase == Phase::update) return false;
  if (work.kind != Work::Kind::product && iteration_of(at.role.block.str()).empty()) return false;
  const auto has = [&](ValueId id) {
    const DimList& dims = program_.at(id).type.tensor.dims;
    return std::any_of(dims.begin(), dims.end(), [&](DimId dim) { return is_example_[dim.at()]; });
  };
  return std::any_of(at.operands.begin(), at.operands.end(), has) ||
         std::any_of(at.results.begin(), at.results.end(), has);
}

double Examples::seconds(const Instruction& at, const Work& work, const predict::Timed& timed,
                         const predict::Chip& chip) const {
  // How many kernels add up a norm of all gradients depends on how many there are.
  const bool updates = at.origin.phase == Phase::update && !at.role.parameter.empty();
  if (updates && work.kind == Work::Kind::other) return chip.launch;
  if (!count(at, work)) return 0;
  // Not from when it waits for the network to be free.
  return work.kind == Work::Kind::collective ? timed.arrives - timed.departs
                                             : predict::least_seconds(work, chip);
}

}  // namespace mtfc::plan
