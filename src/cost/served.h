// Which work a collective is there for.
#pragma once
#include <string>

#include "bind/bind.h"
#include "ir/program.h"

namespace mtfc::cost {

/// "contract", "map", ...; "reduce" also of a contraction that only sums products of elements.
std::string operation_name(const Instruction& at, const bind::Bound& bound);

/// Of a sum the instruction where it became a partial one; of other collectives the first that
/// takes the result. Instructions that only move, or pass partial sums on, are looked through.
class Served {
 public:
  /// Both outlive it. `bound`: by instruction.
  Served(const Program& program, const std::vector<bind::Bound>& bound)
      : program_(program), bound_(bound) {}

  /// "contract" for tensor number `tensor` of the collective that is instruction i; "" if there is
  /// none.
  std::string operation(std::size_t i, std::size_t tensor) const;
  /// Of all its tensors, each once, joined by ", ".
  std::string operations(std::size_t i) const;

 private:
  bool only_moves(std::size_t i) const;
  std::string maker(std::size_t before, ValueId value) const;
  std::string user(std::size_t after, ValueId value) const;

  const Program& program_;
  const std::vector<bind::Bound>& bound_;
};

}  // namespace mtfc::cost
