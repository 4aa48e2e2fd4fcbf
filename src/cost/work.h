// What each instruction asks of a machine, as plain numbers: what costs and predicted times add up.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bind/bind.h"
#include "cost/kernel_work.h"
#include "ir/module.h"

namespace mtfc::cost {

/// Of one processor.
struct Work {
  enum class Kind : std::uint8_t {
    none,     // another name for memory that is there, or the border of the program
    product,  // of matrices
    other,
    collective,
    wait,  // for a collective that was started before
  };
  Kind kind = Kind::none;
  DType dtype = DType::f32;  // a product: of its operands
  bool async = false;        // a collective that is only started here
  Phase phase = Phase::forward;
  runtime::ExchangeSpec::Kind exchange{};  // a collective
  std::size_t started = 0;                 // wait: the number of the instruction that it completes
  std::int64_t times = 1;                  // processors that do the same
  double flops = 0;
  /// Of products alone, and in full where a mask leaves some of them out: what MFU and HFU count;
  /// and how many of these the program has made before.
  double products = 0, again = 0;
  /// To and from memory: operands and results once each; of what selects from an operand what it
  /// takes. Of a collective: its operand's shard (all_gather: its result's).
  double bytes = 0;
  std::vector<AxisId> axes;                  // a collective: along these, ascending
  std::shared_ptr<const KernelWork> kernel;  // null: nobody asked
};

/// The programs of a step, in order.
struct ProgramWork {
  std::string program;
  std::int64_t times = 1;  // in a step
  std::vector<Work> instructions;
};

/// What is asked for beyond FLOPs and bytes.
struct Detail {
  bool kernels = false;    // how kernels go about their work
  std::int64_t cache = 0;  // bytes that one holds: what it does not; 0: there is none
};

/// Of each instruction; `bound`: the program's, as `bind` gives it.
std::vector<Work> work_of(const Module& module, const Program& program,
                          const std::vector<bind::Bound>& bound, const Detail& detail = {});

/// Axes longer than 1 along which operands and results are alike: processors that differ only on
/// them do the same.
std::vector<AxisId> repeated_along(const Mesh& mesh, const Program& program, const Instruction& at);

}  // namespace mtfc::cost
