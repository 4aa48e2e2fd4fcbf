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

ExampleNames example_names(const Model& model) {
  ExampleNames names{example_dims(model)};
  for (const Variable& variable : model.variables)
    if (variable.kind == Variable::Kind::parameter)
      for (const DimId dim : variable.type.dims) names.of_parameters.insert(model.dims[dim].name);
  return names;
}

ExampleNames ExampleNames::of(const Choice& choice) const {
  ExampleNames names = *this;
  for (const BlockSplit& block : choice.blocks)
    for (const Split& split : block.splits) {
      const std::vector<std::string> general = ruled_axes(choice, split.dim);
      for (const std::string& axis : split.axes)
        if (!has(general, axis)) names.scoped_axes.insert(axis);
      for (const std::string& axis : general)
        if (!has(split.axes, axis)) names.scoped_axes.insert(axis);
    }
  return names;
}

Examples::Examples(const Module& module, const Program& program, const ExampleNames& names)
    : program_(program),
      mesh_(module.mesh),
      is_example_(module.dims.size()),
      is_of_parameters_(module.dims.size()) {
  for (std::size_t i = 0; i < is_example_.size(); ++i) {
    is_example_[i] = names.dims.contains(module.dims.all()[i].name);
    is_of_parameters_[i] = names.of_parameters.contains(module.dims.all()[i].name);
  }
  for (const std::string& axis : names.scoped_axes)
    if (const std::optional<AxisId> id = mesh_.find(axis)) scoped_.push_back(*id);
}

bool Examples::has_any(const Instruction& at, const std::vector<bool>& dims) const {
  const auto has_one = [&](ValueId id) {
    const DimList& own = program_.at(id).type.tensor.dims;
    return std::any_of(own.begin(), own.end(), [&](DimId dim) { return dims[dim.at()]; });
  };
  return std::any_of(at.operands.begin(), at.operands.end(), has_one) ||
         std::any_of(at.results.begin(), at.results.end(), has_one);
}

double Examples::parts(const Instruction& at) const {
  if (scoped_.empty() || !has_any(at, is_of_parameters_)) return 1;
  const auto varies = [&](AxisId axis) {
    const auto along = [&](ValueId id) {
      return contains(varying_axes(program_.at(id).type.sharding), axis);
    };
    return std::any_of(at.operands.begin(), at.operands.end(), along) ||
           std::any_of(at.results.begin(), at.results.end(), along);
  };
  double count = 1;
  for (const AxisId axis : scoped_)
    if (!varies(axis)) count *= static_cast<double>(mesh_.size(axis));
  return count;
}

bool Examples::count(const Instruction& at, const Work& work) const {
  if (work.kind == Work::Kind::none || work.kind == Work::Kind::wait || work.async) return false;
  if (at.origin.phase == Phase::update) return false;
  if (work.kind != Work::Kind::product && iteration_of(at.role.block.str()).empty()) return false;
  return has_any(at, is_example_);
}

double Examples::seconds(const Instruction& at, const Work& work, const predict::Timed& timed,
                         const predict::Chip& chip) const {
  // How many kernels add up a norm of all gradients depends on how many there are.
  const bool updates = at.origin.phase == Phase::update && !at.role.parameter.empty();
  if (updates && work.kind == Work::Kind::other) return chip.launch;
  if (!count(at, work)) return 0;
  // Not from when it waits for the network to be free.
  const double seconds = work.kind == Work::Kind::collective ? timed.arrives - timed.departs
                                                             : predict::least_seconds(work, chip);
  return seconds / parts(at);
}

}  // namespace mtfc::plan
