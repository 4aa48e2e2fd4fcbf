// What is moved and then cast to a narrower type is cast first: a parameter kept in f32 is gathered
// in bf16 where the model computes in bf16. The bits are the same.
#include <algorithm>
#include <optional>

#include "lowering/program/carriers.h"
#include "lowering/program/program_passes.h"

namespace mtfc::lowering {

namespace {

class Narrowing {
 public:
  explicit Narrowing(Program& program) : p_(program) {}

  void run() {
    while (find()) exchange();
  }

 private:
  /// The cast that all users of each moved value are; whether there is one at all.
  bool find() {
    std::vector<const Instruction*> cast(p_.values.size(), nullptr);
    std::vector<bool> others(p_.values.size(), false);
    for (const Instruction& at : p_.instructions)
      for (ValueId operand : at.operands) {
        const Instruction*& first = cast[operand.at()];
        const bool narrows =
            only_cast(at) && size_of(dtype(at.results[0])) < size_of(dtype(operand));
        if (!narrows || (first && dtype(first->results[0]) != dtype(at.results[0])))
          others[operand.at()] = true;
        else if (!first)
          first = &at;
      }
    casts_.assign(p_.values.size(), std::nullopt);
    bool any = false;
    for (const Instruction& at : p_.instructions) {
      if (!carries(at.kind) || at.results.size() != 1 || at.operands.size() != 1) continue;
      const std::size_t value = at.results[0].at();
      if (others[value] || !cast[value]) continue;
      casts_[value] = *cast[value];
      any = true;
    }
    return any;
  }

  void exchange() {
    std::vector<Instruction> all = std::move(p_.instructions);
    p_.instructions.clear();
    p_.instructions.reserve(all.size() * 5 / 4);
    std::vector<ValueId> instead(p_.values.size());
    for (Instruction& at : all) {
      // Not what is cast back of a narrowed value.
      const bool was_cast = only_cast(at) && casts_[at.operands[0].at()];
      for (ValueId& operand : at.operands)
        if (instead[operand.at()].valid()) operand = instead[operand.at()];
      if (was_cast) {
        instead[at.results[0].at()] = at.operands[0];
        continue;
      }
      const bool narrow = at.results.size() == 1 && casts_[at.results[0].at()];
      if (narrow) before(at);
      p_.instructions.push_back(std::move(at));
    }
  }

  /// The cast, in front of the move `at`, whose result takes the cast's type and name.
  void before(Instruction& at) {
    Instruction cast = *casts_[at.results[0].at()];
    const ProgramValue& cast_value = p_.at(cast.results[0]);
    const DType narrow = cast_value.type.tensor.dtype;
    ProgramValue& moved = p_.values[at.results[0].at()];
    moved.type.tensor.dtype = narrow;
    moved.name = cast_value.name;
    ProgramValue source = p_.at(at.operands[0]);
    source.type.tensor.dtype = narrow;
    cast.operands = at.operands;
    cast.results = {next_id<ValueId>(p_.values)};
    p_.values.push_back(std::move(source));
    at.operands = cast.results;
    p_.instructions.push_back(std::move(cast));
  }

  DType dtype(ValueId id) const { return p_.at(id).type.tensor.dtype; }

  Program& p_;
  std::vector<std::optional<Instruction>> casts_;  // by value: what all its users are
};

}  // namespace

void narrow_moves(Program& program) {
  Narrowing(program).run();
  prune(program);  // numbers the values anew, in their order
}

}  // namespace mtfc::lowering
