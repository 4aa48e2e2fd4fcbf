// Instructions in the place of others, all put in at the end, so that numbers stay until then.
#pragma once
#include <map>
#include <optional>
#include <vector>

#include "ir/program.h"

namespace mtfc::lowering {

class Replacing {
 public:
  /// `program` outlives it.
  explicit Replacing(Program& program) : p_(program) {}

  void drop(std::size_t at) { instead_[at]; }
  /// In the place of instruction `at`, behind what was put there before, with its origin and role.
  /// Gives its result: `last`, a value that there is, or a new one of the type.
  ValueId put(std::size_t at, InstructionKind kind, std::vector<ValueId> operands, ShardType type,
              std::optional<ValueId> last = {});
  /// Behind an instruction, which stays.
  ValueId put_behind(std::size_t at, InstructionKind kind, std::vector<ValueId> operands,
                     ShardType type);
  void finish();

 private:
  Program& p_;
  std::map<std::size_t, std::vector<Instruction>> instead_;
};

}  // namespace mtfc::lowering
