#include "kernels/flops.h"

namespace mtfc::runtime {
namespace {

double space_size(const std::vector<std::int64_t>& extents) {
  double elements = 1;
  for (std::int64_t extent : extents) elements *= static_cast<double>(extent);
  return elements;
}

double space_size(const std::vector<ContractSpec::Factor>& factors) {
  double elements = 1;
  for (const ContractSpec::Factor& factor : factors) elements *= static_cast<double>(factor.extent);
  return elements;
}

}  // namespace

double flops(const MapSpec& spec) {
  double operations = 0;
  for (const ScalarInstruction& step : spec.body.code)
    if (step.kind == LeafKind::none) operations += 1;
  return operations * space_size(spec.extents);
}

double flops(const ContractSpec& spec) {
  return 2 * space_size(spec.batch) * space_size(spec.m) * space_size(spec.n) * space_size(spec.k);
}

double flops(const ReduceSpec& spec) {
  return space_size(spec.kept_extents) * space_size(spec.reduced_extents);
}

double flops(const ScatterAddSpec&) { return 0; }
double flops(const PutSpec&) { return 0; }

double flops(const WindowAddSpec& spec) { return space_size(spec.window.extents); }

double flops(const PrefixSpec& spec) {
  return space_size(std::vector{spec.outer, spec.length, spec.inner});
}

}  // namespace mtfc::runtime
