#include "backends/execute/kernel_launches.h"

#include <algorithm>

#include "support/check.h"

namespace mtfc::backends {
namespace {

struct Runner {
  runtime::Pool& pool;
  const runtime::Call* calls;
  int count;
  const runtime::MapPlan* plan;
  const runtime::PreparedContract* contraction;

  void operator()(const runtime::MapSpec& spec) const { map(pool, *plan, spec, calls, count); }
  void operator()(const runtime::ContractSpec& spec) const {
    contract(pool, *contraction, spec, calls, count);
  }
  template <class Spec>
  void operator()(const Spec& spec) const {
    run_kernel(pool, spec, calls, count);
  }
  void operator()(const CombineSpec& spec) const {
    combine(pool, spec.dtype, spec.kind, spec.elements, spec.sources, calls, count);
  }
};

/// By the law an operand may not vary where the result does not.
void check_varies(const Buffer& operand, const Buffer& result) {
  for (AxisId axis : operand.shards->axes())
    MTFC_CHECK(std::find(result.shards->axes().begin(), result.shards->axes().end(), axis) !=
                   result.shards->axes().end(),
               "the operand of a local instruction varies along an axis that the result lacks");
}

}  // namespace

KernelLaunches::KernelLaunches(KernelSpec spec) : spec_(std::move(spec)) {
  if (const auto* map = std::get_if<runtime::MapSpec>(&spec_)) plan_ = plan_map(*map);
  if (const auto* spec = std::get_if<runtime::ContractSpec>(&spec_))
    contraction_ = runtime::prepare_contract(*spec);
}

void KernelLaunches::add(const std::vector<const void*>& inputs, const std::vector<void*>& outputs,
                         const std::int64_t* coordinates) {
  inputs_.insert(inputs_.end(), inputs.begin(), inputs.end());
  outputs_.insert(outputs_.end(), outputs.begin(), outputs.end());
  calls_.push_back({nullptr, nullptr, coordinates});
}

void KernelLaunches::seal() {
  if (calls_.empty()) return;
  const std::size_t inputs = inputs_.size() / calls_.size();
  const std::size_t outputs = outputs_.size() / calls_.size();
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    calls_[i].inputs = inputs_.data() + i * inputs;
    calls_[i].outputs = outputs_.data() + i * outputs;
  }
}

void KernelLaunches::run(runtime::Pool& pool) const {
  std::visit(Runner{pool, calls_.data(), static_cast<int>(calls_.size()), plan_ ? &*plan_ : nullptr,
                    contraction_.get()},
             spec_);
}

KernelLaunches local_launches(KernelSpec spec, const InstructionBuffers& buffers) {
  const Buffer& first = buffers.results.at(0);
  for (const Buffer& operand : buffers.operands) check_varies(operand, first);
  KernelLaunches launches(std::move(spec));
  std::vector<const void*> inputs(buffers.operands.size());
  std::vector<void*> outputs(buffers.results.size());
  for (std::int64_t i = 0; i < first.shards->count(); ++i) {
    const std::int64_t* coordinates = first.shards->coordinates(i);
    for (std::size_t j = 0; j < inputs.size(); ++j) inputs[j] = buffers.operands[j].at(coordinates);
    for (std::size_t j = 0; j < outputs.size(); ++j)
      outputs[j] = buffers.results[j].at(coordinates);
    launches.add(inputs, outputs, coordinates);
  }
  launches.seal();
  return launches;
}

}  // namespace mtfc::backends
