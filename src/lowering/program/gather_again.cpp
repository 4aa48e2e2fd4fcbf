// Parameters that are kept on shards are gathered where they are used, and once more for the
// backward pass, so that nobody holds more than what is being computed with (Zhao et al., "PyTorch
// FSDP", arXiv 2304.11277, section 3.2.1).
#include <map>
#include <set>

#include "lowering/program/carriers.h"
#include "lowering/program/program_passes.h"
#include "lowering/state/passes.h"

namespace mtfc::lowering {
namespace {

/// What is made of one parameter by moves, views and casts is made where it is used.
class Gathering {
 public:
  Gathering(Program& program, bool once) : p_(program), once_(once) {}

  void run() {
    find_chains();
    if (gathered_.empty()) return;
    std::vector<Instruction> all = std::move(p_.instructions);
    p_.instructions.clear();
    p_.instructions.reserve(all.size() * 5 / 4);
    for (Instruction& at : all) {
      if (is_late(at)) {
        waiting_[at.results[0]] = std::move(at);
        continue;
      }
      for (ValueId& operand : at.operands) operand = ready(operand, half(at.role));
      p_.instructions.push_back(std::move(at));
    }
    prune(p_);  // numbers the values anew, in their order
  }

 private:
  enum Half { forward, backward };
  Half half(const StepRole& role) const {
    return !once_ && role.kind == StepRole::Kind::gradient ? backward : forward;
  }
  bool is_late(const Instruction& at) const {
    return at.results.size() == 1 && gathered_.contains(at.results[0]);
  }
  bool follows(const Instruction& at) const {
    return at.operands.size() == 1 &&
           (carries(at.kind) || std::holds_alternative<Shard>(at.kind) || only_cast(at));
  }

  /// Results that hold what was gathered of a variable, views and casts of it included.
  void find_chains() {
    std::set<ValueId> kept;  // read, and what moves, is cast or viewed without a gather
    for (const Instruction& at : p_.instructions) {
      if (at.results.size() != 1 || at.role.kind == StepRole::Kind::update) continue;
      if (is_read(at.kind)) {
        kept.insert(at.results[0]);
      } else if (follows(at)) {
        const bool gathers = is_gather(at.kind);
        if (gathered_.contains(at.operands[0]) || (gathers && kept.contains(at.operands[0])))
          gathered_.insert(at.results[0]);
        else if (kept.contains(at.operands[0]))
          kept.insert(at.results[0]);
      }
    }
  }

  /// `value` as this half of the step has it: made here if it is used for the first time.
  ValueId ready(ValueId value, Half half) {
    const auto chain = waiting_.find(value);
    if (chain == waiting_.end()) return value;
    const auto [made, fresh] = made_[half].emplace(value, value);
    if (!fresh) return made->second;
    Instruction at = chain->second;
    at.operands[0] = ready(at.operands[0], half);
    if (!first_.insert(value).second) {  // made before, in the other half
      const ValueId again = next_id<ValueId>(p_.values);
      p_.values.push_back(p_.at(value));
      at.results[0] = made_[half][value] = again;
      at.role = {StepRole::Kind::gradient, "", 0, at.role.block, {}};
      at.origin.phase = Phase::backward;
    }
    const ValueId result = at.results[0];
    p_.instructions.push_back(std::move(at));
    return result;
  }

  Program& p_;
  bool once_;
  std::set<ValueId> gathered_;
  std::map<ValueId, Instruction> waiting_;
  std::map<ValueId, ValueId> made_[2];  // by half of the step
  std::set<ValueId> first_;             // made in some half
};

}  // namespace

void gather_again(State& s) {
  if (s.assignment.kept.empty()) return;
  for (Program& program : s.made.module.programs) Gathering(program, s.options.gather_once).run();
}

}  // namespace mtfc::lowering
