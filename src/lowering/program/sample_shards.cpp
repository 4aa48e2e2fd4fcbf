// First values that follow from their places alone, numbers and random samples, are made as the
// shards that are kept of them: what a processor holds of a parameter may be all that it has room
// for.
#include <algorithm>
#include <map>

#include "lowering/program/program_passes.h"

namespace mtfc::lowering {
namespace {

/// A map whose only result is computed of no tensor.
bool is_source(const Instruction& at) {
  return std::holds_alternative<Map>(at.kind) && at.operands.empty() && at.results.size() == 1;
}

/// By value: the instructions that use it.
using Users = std::map<ValueId, std::vector<std::size_t>>;

bool is_only_sharded(const Program& program, const std::vector<std::size_t>& users) {
  return !users.empty() && std::all_of(users.begin(), users.end(), [&](std::size_t user) {
    return std::holds_alternative<Shard>(program.instructions[user].kind);
  });
}

}  // namespace

void sample_shards(Program& program) {
  Users users;
  for (std::size_t i = 0; i < program.instructions.size(); ++i)
    for (const ValueId operand : program.instructions[i].operands) users[operand].push_back(i);
  // A shard that has become a source stands behind the one that it was cut from.
  for (const Instruction& at : program.instructions) {
    if (!is_source(at) || !is_only_sharded(program, users[at.results[0]])) continue;
    for (const std::size_t user : users[at.results[0]]) {
      program.instructions[user].kind = at.kind;
      program.instructions[user].operands.clear();
    }
  }
  prune(program);
}

}  // namespace mtfc::lowering
