#include "solve/dual.h"

#include <algorithm>
#include <cmath>

namespace mtfc::solve {
namespace {

constexpr double memory = 0.7;           // of the average usage
constexpr double smallest_scale = 0.02;  // of the largest slack

/// About what one unit of usage is worth: the middle of what nodes could save for what they use.
double typical_price(const Core& core) {
  std::vector<double> all;
  for (std::size_t i = 0; i < core.size(); ++i) {
    double most = 0;
    for (const CorePiece& piece : core.pieces_of(i))
      for (std::size_t s = 0; s < core.labels[i]; ++s)
        most = std::max(most, core.usage[piece.at + s]);
    double spread = 0;
    for (const CoreLink& link : core.links_of(i)) {
      const CoreEdge& edge = core.edges[link.edge];
      const auto begin = core.costs_ab.begin() + static_cast<std::ptrdiff_t>(edge.at);
      const auto [low, high] = std::minmax_element(
          begin, begin + static_cast<std::ptrdiff_t>(core.labels[edge.a] * core.labels[edge.b]));
      spread += *high - *low;
    }
    const auto begin = core.costs.begin() + static_cast<std::ptrdiff_t>(core.offset[i]);
    const auto [low, high] = std::minmax_element(begin, begin + core.labels[i]);
    spread += *high - *low;
    if (most > 0 && spread > 0) all.push_back(spread / most);
  }
  if (all.empty()) return 1;
  std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2),
                   all.end());
  return all[all.size() / 2];
}

}  // namespace

Dual::Dual(const Core& core, std::vector<double> price)
    : core_(core),
      messages_(core),
      eliminator_(core, 0),
      labels_(core.size(), 0),
      price_(std::move(price)) {
  least_price_ = typical_price(core) * 1e-6;
  price_.resize(core.moments(), 0.0);
  for (double& one : price_) one = std::max(one, least_price_);
  double most = 1;
  for (const double slack : core.slack) most = std::max(most, slack);
  for (const double slack : core.slack) scale_.push_back(std::max(slack, most * smallest_scale));
  evaluate();
}

void Dual::use_elimination(const Order& order) {
  order_ = order.nodes;
  for (std::size_t t = 0; t < price_.size(); ++t)
    price_[t] = std::max(best_price_[t], least_price_);
  evaluate();
}

double Dual::least_priced() {
  if (!order_.empty()) return eliminator_.minimum(order_, unary_, labels_);
  messages_.pass(unary_);
  labels_ = messages_.labels();
  return messages_.bound();
}

void Dual::evaluate() {
  paid_price_ = price_;
  double paid = 0;
  for (std::size_t t = 0; t < price_.size(); ++t) {
    if (price_[t] <= least_price_ * 1.0001) paid_price_[t] = 0;
    paid += paid_price_[t] * core_.slack[t];
  }
  unary_ = prices_of(core_, paid_price_);
  for (std::size_t k = 0; k < unary_.size(); ++k) unary_[k] += core_.costs[k];
  rounding_ = rounding_of(core_, unary_) + (paid + std::fabs(core_.constant)) * 1e-13;
  last_ = core_.constant + least_priced() - paid - rounding_;
  if (last_ <= best_) return;
  best_ = last_;
  best_price_ = paid_price_;
}

void Dual::step() {
  const std::vector<double> usage = usage_of(core_, labels_);
  if (average_.empty()) average_ = usage;
  for (std::size_t t = 0; t < usage.size(); ++t) {
    average_[t] = memory * average_[t] + (1 - memory) * usage[t];
    const double excess = std::clamp((average_[t] - core_.slack[t]) / scale_[t], -1.0, 1.0);
    price_[t] = std::max(price_[t] * std::exp(pace * excess), least_price_);
  }
  evaluate();
}

std::vector<double> Dual::label_bounds() const {
  std::vector<double> bounds = messages_.reduced_costs(unary_);
  for (double& bound : bounds) bound += last_ - rounding_;
  return bounds;
}

}  // namespace mtfc::solve
