// Contractions whose results are sums along one run of memory in both operands.
#pragma once
#include "kernels/contract_plan.h"

namespace mtfc::runtime {

/// Of one call: its own tensors, or dense copies.
struct Operands {
  const char* a = nullptr;
  const char* b = nullptr;
  char* c = nullptr;
};

/// `plan` has the form dots.
void run_dots(Pool& pool, const ContractPlan& plan, const Operands* operands, int count);

}  // namespace mtfc::runtime
