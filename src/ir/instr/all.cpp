#include "ir/instr/all.h"

namespace mtfc {

std::string_view name(const InstructionKind& kind) {
  return std::visit([]<class Kind>(const Kind&) { return Kind::kName; }, kind);
}

bool is_collective(const InstructionKind& kind) {
  return std::holds_alternative<AllReduce>(kind) || std::holds_alternative<ReduceScatter>(kind) ||
         std::holds_alternative<AllGather>(kind) || std::holds_alternative<AllToAll>(kind) ||
         std::holds_alternative<Permute>(kind);
}

Summing* summing(InstructionKind& kind) {
  return std::visit(
      []<class Kind>(Kind& k) -> Summing* {
        if constexpr (requires { k.how; })
          return &k.how;
        else
          return nullptr;
      },
      kind);
}
const Summing* summing(const InstructionKind& kind) {
  return summing(const_cast<InstructionKind&>(kind));
}

}  // namespace mtfc
