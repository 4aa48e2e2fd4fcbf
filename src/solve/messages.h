// A lower bound on what a core costs at given prices of its labels, and labels that come near it:
// sequential tree-reweighted message passing. V. Kolmogorov, "Convergent tree-reweighted message
// passing for energy minimization", IEEE PAMI 28(10), 2006, section 3 (TRW-S), with one
// reparametrization theta = costs + messages (equation 3).
#pragma once
#include "solve/core.h"

namespace mtfc::solve {

class Messages {
 public:
  explicit Messages(const Core& core);

  /// One pass up and one down over the nodes; `unary` is by label, costs and prices together.
  void pass(const std::vector<double>& unary);

  /// No labels cost less (after a pass), but for rounding.
  double bound() const { return bound_; }
  /// Chosen one after the other on the way up, each given those before.
  const Labels& labels() const { return labels_; }
  /// By how much the bound rises at least if a node takes that label; flat. After a pass with this
  /// `unary`.
  std::vector<double> reduced_costs(const std::vector<double>& unary) const;

 private:
  double* to_a(const CoreEdge& edge) { return &messages_[edge.message]; }
  double* to_b(const CoreEdge& edge) { return &messages_[edge.message + core_.labels[edge.a]]; }
  const double* into(std::size_t i, const CoreEdge& edge) const {
    return &messages_[edge.message + (edge.a == i ? 0 : core_.labels[edge.a])];
  }
  /// Costs of a node's labels and all messages to it, in `sum_`.
  void gather(std::size_t i, const std::vector<double>& unary);
  void send(std::size_t i, const CoreLink& link, double& least);
  void choose(std::size_t i, const std::vector<double>& unary);
  double subtract_least(double* values, std::size_t count);

  const Core& core_;
  std::vector<double> messages_;
  std::vector<double> weight_;  // of a node's sum, in each message that it sends
  std::vector<double> sum_, scratch_;
  Labels labels_;
  double bound_ = 0;
};

}  // namespace mtfc::solve
