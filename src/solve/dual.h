// The Lagrangian dual of a core: the limit on usage becomes a price of each moment, and what costs
// and prices amount to is bounded from below by messages, or found by elimination. M. L. Fisher,
// "The Lagrangian relaxation method for solving integer programming problems", 1981.
#pragma once
#include "solve/eliminate.h"
#include "solve/elimination_order.h"
#include "solve/messages.h"

namespace mtfc::solve {

class Dual {
 public:
  /// `price`: by moment of the core, to begin with; empty: next to nothing.
  explicit Dual(const Core& core, std::vector<double> price = {});

  /// From now on what costs and prices amount to is found exactly, by eliminating in this order.
  void use_elimination(const Order& order);

  /// Prices that follow what the last labels use, and what costs and prices amount to then.
  void step();
  /// By how much prices follow: by a factor of exp(pace) at most.
  double pace = 0.5;

  /// No solution costs less, constant included; less what rounding may change.
  double bound() const { return best_; }
  double last() const { return last_; }                             // of the last step
  const std::vector<double>& price() const { return best_price_; }  // that give the bound
  const Labels& labels() const { return labels_; }  // near what costs least at the last prices
  /// What any solution costs at least in which a node has this label; flat. Of messages alone.
  std::vector<double> label_bounds() const;

 private:
  void evaluate();
  double least_priced();

  const Core& core_;
  Messages messages_;
  Eliminator eliminator_;
  std::vector<std::uint32_t> order_;  // empty: messages
  Labels labels_;
  std::vector<double> price_;       // that follows usage; never quite 0, so that it can grow
  std::vector<double> paid_price_;  // the same, without what is as small as that
  std::vector<double> best_price_;
  std::vector<double> unary_;    // costs and prices of labels
  std::vector<double> average_;  // usage of the last labels, older ones counting less
  std::vector<double> scale_;    // by moment: the excess that counts in full
  double best_ = -never, last_ = -never, rounding_ = 0, least_price_ = 0;
};

}  // namespace mtfc::solve
