// One kernel on all shards of its values, prepared once and launched in every step.
#pragma once
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "backends/execute/transport.h"
#include "kernels/combine.h"
#include "kernels/kernels.h"
#include "kernels/map_plan.h"

namespace mtfc::backends {

/// y = x_0 op x_1 op ..., the arguments of runtime::combine.
struct CombineSpec {
  DType dtype{};
  Combine kind{};
  std::int64_t elements = 0;
  int sources = 0;
};

using KernelSpec = std::variant<CombineSpec
#define MTFC_KERNEL(function, Spec) , runtime::Spec
#include "kernels/kernels.def"
#undef MTFC_KERNEL
                                >;

class KernelLaunches {
 public:
  explicit KernelLaunches(KernelSpec spec);
  KernelLaunches(KernelLaunches&&) = default;
  KernelLaunches& operator=(KernelLaunches&&) = default;

  void add(const std::vector<const void*>& inputs, const std::vector<void*>& outputs,
           const std::int64_t* coordinates);
  /// After the last add: the calls point into tables that no longer grow.
  void seal();
  /// All calls read (write) this: the host's memory, which is another one in each run.
  void set_input(const void* input) { inputs_.assign(inputs_.size(), input); }
  void set_output(void* output) { outputs_.assign(outputs_.size(), output); }

  void run(runtime::Pool& pool) const;

 private:
  KernelSpec spec_;
  std::optional<runtime::MapPlan> plan_;                          // of a map
  std::shared_ptr<const runtime::PreparedContract> contraction_;  // of a contraction
  std::vector<const void*> inputs_;
  std::vector<void*> outputs_;
  std::vector<runtime::Call> calls_;
};

/// A local instruction: each shard of the results from the operands of a processor that holds it.
KernelLaunches local_launches(KernelSpec spec, const InstructionBuffers& buffers);

}  // namespace mtfc::backends
