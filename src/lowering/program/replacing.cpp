#include "lowering/program/replacing.h"

#include <iterator>
#include <utility>

namespace mtfc::lowering {

ValueId Replacing::put(std::size_t at, InstructionKind kind, std::vector<ValueId> operands,
                       ShardType type, std::optional<ValueId> last) {
  const ValueId result = last ? *last : next_id<ValueId>(p_.values);
  if (!last) p_.values.push_back({std::move(type), {}});
  const Instruction& like = p_.instructions[at];
  instead_[at].push_back({std::move(kind), std::move(operands), {result}, like.origin, like.role});
  return result;
}

ValueId Replacing::put_behind(std::size_t at, InstructionKind kind, std::vector<ValueId> operands,
                              ShardType type) {
  if (!instead_.contains(at)) instead_[at].push_back(p_.instructions[at]);
  return put(at, std::move(kind), std::move(operands), std::move(type));
}

void Replacing::finish() {
  std::vector<Instruction> all;
  for (std::size_t i = 0; i < p_.instructions.size(); ++i) {
    const auto found = instead_.find(i);
    if (found == instead_.end())
      all.push_back(std::move(p_.instructions[i]));
    else
      std::move(found->second.begin(), found->second.end(), std::back_inserter(all));
  }
  p_.instructions = std::move(all);
}

}  // namespace mtfc::lowering
