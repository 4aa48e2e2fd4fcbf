// Labels that fit and cost little: large-neighbourhood search. P. Shaw, "Using constraint
// programming and local search methods to solve vehicle routing problems", 1998. A neighbourhood is
// solved exactly by elimination at prices of moments; prices rise where it does not fit.
#pragma once
#include <random>

#include "solve/eliminate.h"
#include "solve/stretches.h"

namespace mtfc::solve {

class Search {
 public:
  Search(const Core& core, Labels labels, std::uint64_t seed);

  void set_price(const std::vector<double>& price);
  /// Frees one neighbourhood. Never makes the excess larger, nor at the same excess the cost.
  void step();
  void move_to(Labels labels);
  /// Gives one neighbourhood the best labels at costs that are partly drawn: a way out of where no
  /// neighbourhood helps any more.
  void shake();

  bool fits() const { return excess_ <= 0; }
  double cost() const { return cost_; }      // constant included
  double excess() const { return excess_; }  // how much more than the slack, over all moments
  const Labels& labels() const { return labels_; }

 private:
  using Nodes = std::vector<std::uint32_t>;
  /// Labels of the nodes that are free, what they cost together with their edges, and the excess.
  struct Trial {
    std::vector<int> labels;
    double cost = 0, excess = 0;
    bool is_better_than(const Trial& other) const;
  };

  Nodes neighbourhood();
  void grow(Nodes& nodes, std::size_t count);
  std::uint32_t alive_at(std::size_t moment);
  void free(const Nodes& nodes);
  Trial attempt(const Nodes& nodes, double factor);
  Trial judged(const Nodes& nodes);
  bool raise(const Nodes& nodes, const Trial& base, const Trial& tried, int round);
  std::vector<double> usage_in_stretches(const Trial& trial) const;
  double paid(const Nodes& nodes, const Trial& trial) const;
  void put(const Nodes& nodes, const Trial& trial);
  void add_usage(const Nodes& nodes, double sign);

  const Core& core_;
  std::mt19937_64 random_;
  Eliminator eliminator_;
  Labels labels_;
  double cost_ = 0, excess_ = 0;
  std::vector<double> usage_;       // by moment; of the others while a neighbourhood is free
  std::vector<double> base_unary_;  // costs and prices of labels
  std::vector<double> unary_;       // and what is extra, for nodes that are free
  Stretches stretches_;             // of the neighbourhood
  std::vector<double> extra_;       // by stretch of the stretches: what it costs beyond the prices
  std::vector<bool> free_;          // by node
  std::vector<std::size_t> dear_;   // moments with a price
};

}  // namespace mtfc::solve
