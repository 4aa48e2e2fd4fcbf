// Instructions that run one tile of their tensors after the other.
#pragma once
#include <variant>

#include "ir/instr/contract.h"
#include "ir/instr/map.h"
#include "ir/instr/reduce.h"

namespace mtfc {

/// Steps, each a local instruction, of which all are computed at one index of `dims`, then all at
/// the next one: what only they use exists for one tile at a time (attention without its scores in
/// memory). The results are those of the steps one after the other. Values have numbers: operands
/// first, then what the steps make. Nothing is partial.
struct Tiled {
  static constexpr std::string_view kName = "tiled";
  using Kind = std::variant<Map, Contract, Reduce>;

  struct Step {
    Kind kind;
    std::vector<int> from;      // numbers of values
    std::vector<ShardType> to;  // the types of what it makes

    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f("do", self.kind);
      f("from", self.from);
      f("to", self.to);
    }
    friend bool operator==(const Step&, const Step&) = default;
  };
  DimList dims;  // every step's results have them; those that are stored and that maps or
                 // reductions make have them first
  std::vector<Step> steps;
  std::vector<int> results;  // numbers of values that steps make
  /// None, or rows and columns (of positions) of which a column behind its row does not matter: it
  /// adds zeros to sums and is no maximum (a causal mask). Rows are computed in blocks, of the
  /// columns only those up to a block's last row. Neither is split. Products that sum over rows are
  /// results, and no step reads them; all other results have rows, stored behind `dims`.
  DimList causal;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("dims", self.dims);
    f("steps", self.steps);
    f("results", self.results);
    f("causal", self.causal);
  }

  std::string check(const InstrContext& c) const;
  PartialResult partial(const ShardTypes& in, bool) const { return never_partial(in); }
  std::vector<Flops> flops(const InstrContext& c) const;

  /// Calls f(step, types of its operands, of its results) for each step; the fields must be sound.
  template <class F>
  void each_step(const ShardTypes& operands, F&& f) const {
    ShardTypes all = operands;
    for (const Step& step : steps) {
      ShardTypes in, out;
      for (const int number : step.from) in.push_back(all[static_cast<std::size_t>(number)]);
      for (const ShardType& type : step.to) out.push_back(type);
      f(step, in, out);
      for (const ShardType& type : step.to) all.push_back(type);
    }
  }

  /// A block of rows, and the columns that it needs.
  struct Block {
    std::int64_t begin = 0, rows = 0, columns = 0;
  };
  /// From the last rows, which need all columns, to the first.
  static std::vector<Block> blocks(std::int64_t rows, std::int64_t columns);

  friend bool operator==(const Tiled&, const Tiled&) = default;

 private:
  std::string check_causal(const InstrContext& c) const;
  bool is_product(std::size_t number, const InstrContext& c) const;
  double computed(const InstrContext& c) const;
};

}  // namespace mtfc
