// What is gathered of parameters is started some gathers ahead of its use, and waited for there, so
// that it travels while the processor works on what was gathered before.
#include <algorithm>
#include <map>
#include <optional>

#include "lowering/program/carriers.h"
#include "lowering/program/program_passes.h"
#include "lowering/program/waits.h"

namespace mtfc::lowering {

namespace {

class Prefetching {
 public:
  explicit Prefetching(Program& program) : p_(program), maker_(program.values.size()) {}

  void run() {
    find_gathers();
    if (gathers_.size() < 2) return;
    std::map<std::size_t, std::vector<std::size_t>> starts;  // by position: numbers of gathers
    for (std::size_t k = 0; k < gathers_.size(); ++k)
      if (const auto start = start_of(k)) starts[*start].push_back(k);
    all_.reserve(p_.instructions.size() + gathers_.size());
    done_.assign(p_.instructions.size(), false);
    waits_.assign(p_.instructions.size(), false);
    whole_.resize(p_.values.size());
    for (std::size_t i = 0; i < p_.instructions.size(); ++i) {
      if (waits_[i]) all_.push_back(wait_for(p_, p_.instructions[i], whole_));
      if (const auto here = starts.find(i); here != starts.end())
        for (const std::size_t k : here->second) start(gathers_[k]);
      if (!done_[i]) push(i);
    }
    p_.instructions = std::move(all_);
    prune(p_);  // numbers the values anew, in their order
  }

 private:
  void find_gathers() {
    for (std::size_t i = 0; i < p_.instructions.size(); ++i) {
      const Instruction& at = p_.instructions[i];
      for (ValueId result : at.results) maker_[result.at()] = i;
      const bool early = is_gather(at.kind) && at.role.kind != StepRole::Kind::update &&
                         std::all_of(at.operands.begin(), at.operands.end(),
                                     [&](ValueId operand) { return is_early(operand); });
      if (early) gathers_.push_back(i);
      work_.push_back((work_.empty() ? 0 : work_.back()) + (is_work(at.kind) ? 1 : 0));
    }
  }
  bool is_early(ValueId value) const {
    const Instruction& at = p_.instructions[maker_[value.at()]];
    return is_read(at.kind) || (only_cast(at) && is_early(at.operands[0]));
  }

  /// Where the gather is started: where an earlier one is waited for; nowhere if nothing is
  /// computed between.
  std::optional<std::size_t> start_of(std::size_t k) const {
    const std::size_t start = gathers_[k < kGathersAhead ? 0 : k - kGathersAhead];
    return work_[gathers_[k]] > work_[start] ? std::optional(start) : std::nullopt;
  }

  void start(std::size_t i) {
    for (ValueId operand : p_.instructions[i].operands) make(maker_[operand.at()]);
    *async_flag(p_.instructions[i].kind) = true;
    push(i);
    waits_[i] = true;
  }
  /// What an operand is read or cast by.
  void make(std::size_t i) {
    if (done_[i]) return;
    for (ValueId operand : p_.instructions[i].operands) make(maker_[operand.at()]);
    push(i);
  }
  void push(std::size_t i) {
    Instruction at = p_.instructions[i];
    for (ValueId& operand : at.operands)
      if (whole_[operand.at()].valid()) operand = whole_[operand.at()];
    all_.push_back(std::move(at));
    done_[i] = true;
  }

  Program& p_;
  std::vector<std::size_t> maker_;    // by value
  std::vector<std::size_t> gathers_;  // of what is read, in the order of their use
  std::vector<std::size_t> work_;     // by instruction: how many up to it compute
  std::vector<bool> done_, waits_;    // by instruction
  std::vector<ValueId> whole_;        // by value: what its wait gives
  std::vector<Instruction> all_;
};

}  // namespace

void overlap_gathers(Program& program) { Prefetching(program).run(); }

}  // namespace mtfc::lowering
