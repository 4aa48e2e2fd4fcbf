// One kernel on all copies of its values, prepared once and called in every step.
#pragma once
#include <initializer_list>
#include <memory>
#include <variant>
#include <vector>

#include "comm/async_sum.h"
#include "comm/exchange.h"
#include "kernels/kernels.h"
#include "kernels/spec.h"

namespace mtfc::backends {

/// y = x_0 op x_1 op ..., the arguments of runtime::combine.
struct CombineSpec {
  DType dtype{};
  Combine kind{};
  std::int64_t elements = 0;
  int sources = 0;
};

/// A collective between real processors: inputs the operands of a bucket, outputs its results.
struct NetworkExchange {
  std::vector<runtime::ExchangeSpec> bucket;
  runtime::net::Groups* groups = nullptr;
  std::byte* scratch = nullptr;
  std::shared_ptr<runtime::net::AsyncSum> async;  // if it is only started here
};
/// The end of one that was started.
struct NetworkWait {
  std::shared_ptr<runtime::net::AsyncSum> async;
};

using KernelSpec =
    std::variant<runtime::MapSpec, runtime::ContractSpec, runtime::ReduceSpec, runtime::CopySpec,
                 runtime::GatherSpec, runtime::ScatterAddSpec, runtime::PutSpec,
                 runtime::WindowSpec, runtime::WindowAddSpec, runtime::PrefixSpec, runtime::TopSpec,
                 CombineSpec, NetworkExchange, NetworkWait>;

class KernelCalls {
 public:
  explicit KernelCalls(KernelSpec spec) : spec_(std::move(spec)) {}

  void add(const std::vector<const void*>& inputs, const std::vector<void*>& outputs,
           const std::int64_t* coordinates);
  /// After the last add: the calls point into tables that no longer grow.
  void seal();
  /// All calls read (write) this: the host's memory, which is another one in each run.
  void set_input(const void* input) { inputs_.assign(inputs_.size(), input); }
  void set_output(void* output) { outputs_.assign(outputs_.size(), output); }

  void run(runtime::Pool& pool) const;
  const KernelSpec& spec() const { return spec_; }

 private:
  KernelSpec spec_;
  std::vector<const void*> inputs_;
  std::vector<void*> outputs_;
  std::vector<runtime::Call> calls_;
};

}  // namespace mtfc::backends
