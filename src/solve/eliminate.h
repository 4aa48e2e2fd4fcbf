// The best labels of some nodes while all others stay, by eliminating one node after the other:
// what its best label costs is a table over its neighbours. U. Bertele, F. Brioschi, "Nonserial
// dynamic programming", 1972.
#pragma once
#include <random>

#include "solve/core.h"

namespace mtfc::solve {

class Eliminator {
 public:
  /// `most`: entries of a table. A node whose tables would be larger keeps its label.
  Eliminator(const Core& core, std::size_t most) : core_(core), most_(most) {
    local_.assign(core.size(), -1);
  }

  /// Changes the labels of `nodes` to those for which `unary` (by label, flat) and edges together
  /// cost least. True: none of the nodes had to keep its label.
  bool run(std::span<const std::uint32_t> nodes, const std::vector<double>& unary, Labels& labels,
           std::mt19937_64& random);

  /// The least that all nodes cost together, and labels that cost it: all of them, in this order,
  /// whatever the size of the tables.
  double minimum(const std::vector<std::uint32_t>& order, const std::vector<double>& unary,
                 Labels& labels);

 private:
  /// Costs of the labels of `scope`, row-major.
  struct Table {
    std::vector<std::uint32_t> scope;  // local numbers
    std::vector<double> own;
    const double* costs = nullptr;  // `own`, or of an edge of the core
    bool alive = true;
  };
  /// A node that is gone, and its best label by the labels of its neighbours then.
  struct Gone {
    std::uint32_t node = 0;
    std::vector<std::uint32_t> scope;
    std::vector<std::uint16_t> best;
  };

  void prepare(std::span<const std::uint32_t> nodes, const std::vector<double>& unary,
               const Labels& labels);
  void add_table(std::vector<std::uint32_t> scope, std::vector<double> own, const double* costs);
  double size_of(std::uint32_t v) const;
  void eliminate(std::uint32_t v);
  void fix(std::uint32_t v, int label);
  void forget(std::uint32_t v, bool join);
  void trace_back(std::span<const std::uint32_t> nodes, Labels& labels);
  std::size_t labels_of(std::uint32_t v) const { return unary_[v].size(); }

  const Core& core_;
  const std::size_t most_;
  std::vector<int> local_;  // by node of the core
  std::vector<std::vector<double>> unary_;
  std::vector<std::vector<std::uint32_t>> neighbours_, tables_of_;
  std::vector<Table> tables_;
  std::vector<Gone> gone_;
  std::vector<bool> done_;
  std::vector<double> joined_;  // of one elimination
  double settled_ = 0;          // costs of what depends on nothing any more
};

}  // namespace mtfc::solve
