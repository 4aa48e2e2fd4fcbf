#include <algorithm>

#include "lowering/program/carriers.h"
#include "lowering/program/program_passes.h"

namespace mtfc::lowering {
namespace {

class Delay {
 public:
  explicit Delay(Program& program) : p_(program), waits_(program.values.size()) {}

  void run() {
    std::vector<Instruction> all = std::move(p_.instructions);
    p_.instructions.clear();
    p_.instructions.reserve(all.size());
    for (Instruction& at : all) {
      if (needs_waiting(at)) flush();
      if (is_sum_of_columns(at))
        wait(at);
      else
        p_.instructions.push_back(std::move(at));
    }
    flush();
    prune(p_);  // numbers the values anew, in their order
  }

 private:
  /// Work that maps are not fused across, or that reads one of those that wait.
  bool needs_waiting(const Instruction& at) const {
    if (!std::holds_alternative<Map>(at.kind) && !std::holds_alternative<Reduce>(at.kind) &&
        !is_read(at.kind))
      return true;
    return std::any_of(at.operands.begin(), at.operands.end(),
                       [&](ValueId operand) { return waits_[operand.at()]; });
  }

  bool is_sum_of_columns(const Instruction& at) const {
    const auto* sum = std::get_if<Reduce>(&at.kind);
    if (!sum) return false;
    const std::vector<DimId>& dims = p_.at(at.operands[0]).type.tensor.dims;
    return !dims.empty() && contains(sum->reduced, dims[0]);
  }

  void wait(Instruction& at) {
    for (ValueId result : at.results) waits_[result.at()] = true;
    waiting_.push_back(std::move(at));
  }
  void flush() {
    for (Instruction& at : waiting_) {
      for (ValueId result : at.results) waits_[result.at()] = false;
      p_.instructions.push_back(std::move(at));
    }
    waiting_.clear();
  }

  Program& p_;
  std::vector<Instruction> waiting_;
  std::vector<bool> waits_;  // by value: the result of one that waits
};

}  // namespace

void delay_sums(Program& program) { Delay(program).run(); }

}  // namespace mtfc::lowering
