// What a step computes, sends and keeps, as formulas in dimensions and mesh axes. The rules are
// those that give the numbers: an instruction's Flops and moved types (ir/instr), what a collective
// sends (comm/exchange_spec.h), asked with sizes that are symbols (decision 61).
//
// A formula holds for all sizes for which the program is the same one. Passes that read sizes
// choose moves, buckets, and how sums of fewer than kGatherAllElements elements travel; `sent`
// besides takes it that a sum's elements are divided by the processors that share them.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cost/cost.h"
#include "cost/symbolic/formula.h"
#include "cost/symbolic/kept_memory.h"
#include "cost/symbolic/size_symbols.h"

namespace mtfc::cost {

/// Collectives of one origin (cost/collective_groups.h).
struct CollectiveFormula {
  CollectiveCost first;
  Polynomial calls, elements;  // of all, a processor in a step
};

/// Of one processor in a step.
struct Formulas {
  Symbols symbols;
  Formula flops;
  Formula elements, bytes, sent_elements, sent;  // of collectives; sent: bytes
  Polynomial calls;                              // collectives
  std::vector<CollectiveFormula> collectives;    // in program order
  std::vector<Kept> memory;                      // by role

  Polynomial memory_elements() const;
};

/// What grows fastest, without constants and without what something else outgrows.
struct LeadingFormulas {
  Polynomial flops, elements, memory;
  /// Elements for each FLOP; nothing where the work has several leading terms.
  std::optional<Polynomial> ratio;
};
LeadingFormulas leading_of(const Formulas& formulas);

/// `cost`: of this module's step, or of its `run` where there is none.
Formulas formulas_of(const Module& module, const Cost& cost);

/// One JSON object; docs/cli.md has its keys.
std::string to_json(const Formulas& formulas);

}  // namespace mtfc::cost
