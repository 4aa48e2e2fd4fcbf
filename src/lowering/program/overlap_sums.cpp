// Sums of gradients are started where they are made and waited for where they are used, so that
// messages travel while the backward pass goes on. They are waited for in the order in which they
// were started.
#include <algorithm>
#include <deque>

#include "lowering/program/carriers.h"
#include "lowering/program/gradient_sums.h"
#include "lowering/program/program_passes.h"
#include "lowering/program/waits.h"

namespace mtfc::lowering {

namespace {

// Each needs memory of its own; more in flight do not make a network faster.
constexpr std::size_t kMostInFlight = 4;

class Overlapping {
 public:
  explicit Overlapping(Program& program) : p_(program), gradients_(gradient_sums(program)) {}

  void run() {
    find_ends();
    all_.reserve(p_.instructions.size() * 5 / 4);
    for (std::size_t i = 0; i < p_.instructions.size(); ++i) {
      while (is_used(i)) wait_for_first();
      for (ValueId& operand : p_.instructions[i].operands) operand = complete(operand);
      const bool early = gradients_[i] && works_between(i, end_[i]);
      if (early && in_flight_.size() == kMostInFlight) wait_for_first();
      all_.push_back(std::move(p_.instructions[i]));
      if (early) begin(i);
    }
    while (!in_flight_.empty()) wait_for_first();
    p_.instructions = std::move(all_);
  }

 private:
  struct Sum {
    std::size_t number;  // in the program before the pass
    std::size_t index;   // after it
  };

  /// By instruction: the first use of its results.
  void find_ends() {
    const std::size_t count = p_.instructions.size();
    std::vector<std::size_t> maker(p_.values.size(), count);
    end_.assign(count + 1, count);
    work_.assign(count + 1, 0);
    for (std::size_t i = 0; i < count; ++i) {
      const Instruction& at = p_.instructions[i];
      for (ValueId operand : at.operands) {
        std::size_t& end = end_[maker[operand.at()]];
        end = std::min(end, i);
      }
      for (ValueId result : at.results) maker[result.at()] = i;
      work_[i + 1] = work_[i] + is_work(at.kind);
    }
    complete_.resize(p_.values.size());
  }
  bool works_between(std::size_t begin, std::size_t end) const {
    return work_[end] > work_[begin + 1];
  }
  bool is_used(std::size_t i) const {
    return std::any_of(in_flight_.begin(), in_flight_.end(),
                       [&](const Sum& sum) { return end_[sum.number] <= i; });
  }
  ValueId complete(ValueId value) const {
    const ValueId other = complete_[value.at()];
    return other.valid() ? other : value;
  }

  void begin(std::size_t i) {
    Instruction& sum = all_.back();
    *async_flag(sum.kind) = true;
    in_flight_.push_back({i, all_.size() - 1});
  }

  void wait_for_first() {
    const Sum sum = std::move(in_flight_.front());
    in_flight_.pop_front();
    all_.push_back(wait_for(p_, Instruction(all_[sum.index]), complete_));
  }

  Program& p_;
  const std::vector<bool> gradients_;
  std::vector<std::size_t> end_, work_;
  std::vector<ValueId> complete_;  // by value: what its wait gives
  std::deque<Sum> in_flight_;
  std::vector<Instruction> all_;
};

}  // namespace

void overlap_sums(Program& program) {
  Overlapping(program).run();
  prune(program);  // numbers the values anew, in their order
}

}  // namespace mtfc::lowering
