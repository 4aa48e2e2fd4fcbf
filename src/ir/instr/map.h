// Elementwise computation.
#pragma once
#include "ir/instr/rules.h"
#include "support/fields.h"
#include "support/scalar.h"

namespace mtfc {

/// Elementwise over the result's dimensions. Operands are read by name: in any storage order, and
/// broadcast along dimensions that they lack. All results have the same dimensions and sharding.
struct Map {
  static constexpr std::string_view kName = "map";
  struct Random {
    Distribution distribution{};
    double a = 0, b = 0;
    std::int64_t key = 0;   // hash of (seed, path), as bits
    DimList dims;           // the random sample's own (global) shape; subset of the result's
    int step_operand = -1;  // operand holding the i32 step; -1: step 0
    // Position i along `numbered` counts as first + every * i, where the operand holds the i32
    // first
    // (-1: 0). So that samples do not depend on the batch size of evaluations, nor on
    // micro-batches.
    int first_operand = -1;
    DimId numbered;  // one of dims; not valid: none
    std::int64_t every = 1;

    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f("distribution", self.distribution);
      f("a", self.a);
      f("b", self.b);
      f("key", Bits{self.key});
      f("dims", self.dims);
      f("step_operand", self.step_operand);
      f("first_operand", self.first_operand);
      f("numbered", self.numbered);
      f("every", self.every);
    }
    friend bool operator==(const Random&, const Random&) = default;
  };
  ScalarProgram body;
  DimList index_leaves;  // leaf number -> dimension
  std::vector<Random> random_leaves;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("body", self.body.code);
    f("body_results", self.body.results);
    f("indices", self.index_leaves);
    f("samples", self.random_leaves);
  }

  std::string check(const InstrContext& c) const;
  PartialResult partial(const ShardTypes& operands, bool rounded) const;
  /// Each scalar operation counts 1.
  Flops flops(const InstrContext& c) const;

  friend bool operator==(const Map&, const Map&) = default;
};

}  // namespace mtfc
