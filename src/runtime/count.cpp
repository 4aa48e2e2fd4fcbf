#include "runtime/count.h"

namespace mtfc::runtime {
namespace {

double product(const std::vector<std::int64_t>& extents) {
  double elements = 1;
  for (std::int64_t extent : extents) elements *= static_cast<double>(extent);
  return elements;
}

double product(const std::vector<ContractSpec::Factor>& factors) {
  double elements = 1;
  for (const ContractSpec::Factor& factor : factors) elements *= static_cast<double>(factor.extent);
  return elements;
}

}  // namespace

double flops(const MapSpec& spec) {
  double operations = 0;
  for (const ScalarInstruction& step : spec.body.code)
    if (step.kind == LeafKind::none) operations += 1;
  return operations * product(spec.extents);
}

double flops(const ContractSpec& spec) {
  return 2 * product(spec.batch) * product(spec.m) * product(spec.n) * product(spec.k);
}

double flops(const ReduceSpec& spec) {
  return product(spec.kept_extents) * product(spec.reduced_extents);
}

double flops(const ScatterAddSpec&) { return 0; }
double flops(const PutSpec&) { return 0; }

double flops(const WindowAddSpec& spec) { return product(spec.window.extents); }

double flops(const PrefixSpec& spec) {
  return product(std::vector{spec.outer, spec.length, spec.inner});
}

}  // namespace mtfc::runtime
