#include "backends/execute/kernel_launches.h"

namespace mtfc::backends {
namespace {

struct Runner {
  runtime::Pool& pool;
  const runtime::Call* calls;
  int count;

  void operator()(const runtime::MapSpec& spec) const { map(pool, spec, calls, count); }
  void operator()(const runtime::ContractSpec& spec) const { contract(pool, spec, calls, count); }
  void operator()(const runtime::ReduceSpec& spec) const { reduce(pool, spec, calls, count); }
  void operator()(const runtime::CopySpec& spec) const { copy(pool, spec, calls, count); }
  void operator()(const runtime::GatherSpec& spec) const { gather(pool, spec, calls, count); }
  void operator()(const runtime::ScatterAddSpec& spec) const {
    scatter_add(pool, spec, calls, count);
  }
  void operator()(const runtime::PutSpec& spec) const { put(pool, spec, calls, count); }
  void operator()(const runtime::WindowSpec& spec) const { window(pool, spec, calls, count); }
  void operator()(const runtime::WindowAddSpec& spec) const {
    window_add(pool, spec, calls, count);
  }
  void operator()(const runtime::PrefixSpec& spec) const { prefix_sum(pool, spec, calls, count); }
  void operator()(const runtime::TopSpec& spec) const { top_places(pool, spec, calls, count); }
  void operator()(const CombineSpec& spec) const {
    combine(pool, spec.dtype, spec.kind, spec.elements, spec.sources, calls, count);
  }
  void operator()(const NetworkExchange& spec) const {
    for (int i = 0; i < count; ++i) {
      const void* const* x = calls[i].inputs;
      void* const* y = calls[i].outputs;
      spec.groups->sent += spec.async
                               ? spec.async->start(*spec.groups, pool, spec.bucket, x, y)
                               : exchange(*spec.groups, pool, spec.bucket, x, y, spec.scratch);
    }
  }
  void operator()(const NetworkWait& spec) const { spec.async->wait(); }
};

}  // namespace

void KernelCalls::add(const std::vector<const void*>& inputs, const std::vector<void*>& outputs,
                      const std::int64_t* coordinates) {
  inputs_.insert(inputs_.end(), inputs.begin(), inputs.end());
  outputs_.insert(outputs_.end(), outputs.begin(), outputs.end());
  calls_.push_back({nullptr, nullptr, coordinates});
}

void KernelCalls::seal() {
  if (calls_.empty()) return;
  const std::size_t inputs = inputs_.size() / calls_.size();
  const std::size_t outputs = outputs_.size() / calls_.size();
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    calls_[i].inputs = inputs_.data() + i * inputs;
    calls_[i].outputs = outputs_.data() + i * outputs;
  }
}

void KernelCalls::run(runtime::Pool& pool) const {
  std::visit(Runner{pool, calls_.data(), static_cast<int>(calls_.size())}, spec_);
}

}  // namespace mtfc::backends
