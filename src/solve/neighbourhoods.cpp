#include "solve/neighbourhoods.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mtfc::solve {
namespace {

constexpr std::size_t largest_of_neighbourhood = 20'000;  // of a table of a neighbourhood
constexpr int most_tries = 10;                            // prices for one neighbourhood

}  // namespace

bool Search::Trial::is_better_than(const Trial& other) const {
  return excess < other.excess || (excess == other.excess && cost < other.cost);
}

Search::Search(const Core& core, Labels labels, std::uint64_t seed)
    : core_(core),
      random_(seed),
      eliminator_(core, largest_of_neighbourhood),
      unary_(core.costs.size(), 0.0),
      free_(core.size(), false) {
  set_price(std::vector<double>(core.moments(), 0.0));
  move_to(std::move(labels));
}

void Search::set_price(const std::vector<double>& price) {
  base_unary_ = prices_of(core_, price);
  for (std::size_t k = 0; k < base_unary_.size(); ++k) base_unary_[k] += core_.costs[k];
  dear_.clear();
  const double most = price.empty() ? 0 : *std::max_element(price.begin(), price.end());
  for (std::size_t t = 0; t < price.size(); ++t)
    if (price[t] > most * 1e-4) dear_.push_back(t);
}

void Search::move_to(Labels labels) {
  labels_ = std::move(labels);
  usage_ = usage_of(core_, labels_);
  cost_ = core_.constant + cost_of(core_, labels_);
  excess_ = 0;
  for (std::size_t t = 0; t < usage_.size(); ++t)
    excess_ += std::max(0.0, usage_[t] - core_.slack[t]);
}

// ------------------------------------------------------------------ neighbourhoods

/// A node that uses something at that moment, if one is found soon.
std::uint32_t Search::alive_at(std::size_t moment) {
  std::uint32_t node = 0;
  for (int tries = 0; tries < 60; ++tries) {
    node = static_cast<std::uint32_t>(random_() % core_.size());
    for (const CorePiece& piece : core_.pieces_of(node))
      if (piece.from <= moment && moment < piece.to) return node;
  }
  return node;
}

/// From the last of the nodes, neighbours of neighbours.
void Search::grow(Nodes& nodes, std::size_t count) {
  for (std::size_t k = nodes.size() - 1; k < nodes.size() && nodes.size() < count; ++k) {
    const auto links = core_.links_of(nodes[k]);
    if (links.empty()) continue;
    const std::size_t shift = random_() % links.size();
    const std::size_t most = links.size() > 30 ? 10 : links.size();
    for (std::size_t j = 0; j < most && nodes.size() < count; ++j) {
      const std::uint32_t other = links[(j + shift) % links.size()].other;
      if (free_[other]) continue;
      free_[other] = true;
      nodes.push_back(other);
    }
  }
}

/// Several balls of nodes that are near each other, whose centres are alive at one moment.
Search::Nodes Search::neighbourhood() {
  const std::size_t centres = std::size_t{1} << random_() % 6;
  const std::size_t each = std::size_t{2} << random_() % 6;
  const std::size_t moment = core_.moments() == 0 ? 0
                             : dear_.empty()      ? random_() % core_.moments()
                                                  : dear_[random_() % dear_.size()];
  Nodes nodes;
  for (std::size_t c = 0; c < centres; ++c) {
    const bool anywhere = core_.moments() == 0 || random_() % 3 == 0;
    const auto centre =
        anywhere ? static_cast<std::uint32_t>(random_() % core_.size()) : alive_at(moment);
    if (free_[centre]) continue;
    free_[centre] = true;
    nodes.push_back(centre);
    grow(nodes, nodes.size() + each - 1);
  }
  return nodes;
}

// ------------------------------------------------------------------ one neighbourhood

void Search::add_usage(const Nodes& nodes, double sign) {
  std::vector<double> change(core_.moments() + 1, 0.0);
  for (const std::uint32_t i : nodes)
    add_differences(core_, core_.pieces_of(i), labels_[i], sign, change);
  double sum = 0;
  for (std::size_t t = 0; t < usage_.size(); ++t) usage_[t] += sum += change[t];
}

std::vector<double> Search::usage_in_stretches(const Trial& trial) const {
  std::vector<double> usage(stretches_.slack.size() + 1, 0.0);
  for (std::size_t k = 0; k < trial.labels.size(); ++k)
    add_differences(core_, stretches_.pieces_of(k), trial.labels[k], 1, usage);
  std::partial_sum(usage.begin(), usage.end(), usage.begin());
  usage.pop_back();
  return usage;
}

/// The labels as they are now.
Search::Trial Search::judged(const Nodes& nodes) {
  Trial trial;
  for (const std::uint32_t i : nodes) {
    const auto label = static_cast<std::size_t>(labels_[i]);
    trial.labels.push_back(labels_[i]);
    trial.cost += core_.costs[core_.offset[i] + label];
    for (const CoreLink& link : core_.links_of(i))
      if (!free_[link.other] || link.other > i)
        trial.cost += core_.row(i, link, label)[labels_[link.other]];
  }
  const std::vector<double> usage = usage_in_stretches(trial);
  for (std::size_t t = 0; t < usage.size(); ++t)
    trial.excess += std::max(0.0, usage[t] - stretches_.slack[t]);
  return trial;
}

void Search::put(const Nodes& nodes, const Trial& trial) {
  for (std::size_t k = 0; k < nodes.size(); ++k) labels_[nodes[k]] = trial.labels[k];
}

/// The best labels of the nodes at `factor` times the prices and what is extra.
Search::Trial Search::attempt(const Nodes& nodes, double factor) {
  std::vector<double> before(extra_.size() + 1, 0.0);
  for (std::size_t t = 0; t < extra_.size(); ++t) before[t + 1] = before[t] + extra_[t];
  for (std::size_t j = 0; j < nodes.size(); ++j) {
    const std::size_t begin = core_.offset[nodes[j]], end = core_.offset[nodes[j] + 1];
    for (std::size_t k = begin; k < end; ++k)
      unary_[k] = core_.costs[k] + factor * (base_unary_[k] - core_.costs[k]);
    for (const CorePiece& piece : stretches_.pieces_of(j)) {
      const double each = before[piece.to] - before[piece.from];
      if (each <= 0) continue;
      for (std::size_t k = begin; k < end; ++k)
        unary_[k] += each * core_.usage[piece.at + (k - begin)];
    }
  }
  eliminator_.run(nodes, unary_, labels_, random_);
  return judged(nodes);
}

/// What a trial costs at the prices of the last attempt.
double Search::paid(const Nodes& nodes, const Trial& trial) const {
  double paid = trial.cost;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const std::size_t at = core_.offset[nodes[k]] + static_cast<std::size_t>(trial.labels[k]);
    paid += unary_[at] - core_.costs[at];
  }
  return paid;
}

/// Prices at which `tried`, which does not fit, is no better than `base`: along the line between
/// the two lies what is better than `base` and uses less than `tried`. False: there is nothing.
bool Search::raise(const Nodes& nodes, const Trial& base, const Trial& tried, int round) {
  const double gain = paid(nodes, base) - paid(nodes, tried);
  const std::vector<double> before = usage_in_stretches(base), after = usage_in_stretches(tried);
  std::vector<double> over(after.size());
  double difference = 0, length = 0;
  for (std::size_t t = 0; t < over.size(); ++t) {
    over[t] = std::max(0.0, after[t] - stretches_.slack[t]);
    difference += over[t] * (after[t] - before[t]);
    length += over[t] * over[t];
  }
  const double least = 1e-9 * std::fabs(base.cost);
  double step = 1.001 * gain / difference;
  if (base.excess > 0)  // no line to go along: faster and faster
    step = std::max(gain, 1e3 * least) * std::pow(2.0, round) / std::max(difference, length);
  else if (gain <= least || difference <= 0)
    return false;
  for (std::size_t t = 0; t < over.size(); ++t) extra_[t] += step * over[t];
  return true;
}

void Search::free(const Nodes& nodes) {
  add_usage(nodes, -1);
  stretches_ = stretches_of(core_, nodes, usage_);
  extra_.assign(stretches_.slack.size(), 0.0);
  const Trial start = judged(nodes);
  Trial best = start;
  double factor = 1;
  bool lowered = false;
  for (int round = 0; round < most_tries; ++round) {
    put(nodes, best);
    Trial tried = attempt(nodes, factor);
    const bool better = tried.is_better_than(best);
    if (tried.excess > 0) {
      if (!raise(nodes, best, tried, round)) break;
      if (better) best = std::move(tried);
      continue;
    }
    if (better) best = std::move(tried);
    if (lowered || factor == 0) break;
    factor = static_cast<double>(random_() % 4) / 4;
    lowered = true;
    std::fill(extra_.begin(), extra_.end(), 0.0);
  }
  put(nodes, best);
  add_usage(nodes, 1);
  cost_ += best.cost - start.cost;
  if (excess_ <= 0) return;
  excess_ = 0;
  for (std::size_t t = 0; t < usage_.size(); ++t)
    excess_ += std::max(0.0, usage_[t] - core_.slack[t]);
}

void Search::shake() {
  if (core_.size() == 0) return;
  const Nodes nodes = neighbourhood();
  std::uniform_real_distribution<double> part(0.0, 1.0);
  for (const std::uint32_t i : nodes) {
    const auto begin = base_unary_.begin() + static_cast<std::ptrdiff_t>(core_.offset[i]);
    const auto [low, high] = std::minmax_element(begin, begin + core_.labels[i]);
    double spread = *high - *low;
    for (const CoreLink& link : core_.links_of(i)) {
      const double* row =
          core_.row(link.other, {link.edge, i}, static_cast<std::size_t>(labels_[link.other]));
      const auto [least, most] = std::minmax_element(row, row + core_.labels[i]);
      spread = std::max(spread, *most - *least);
    }
    for (std::size_t k = core_.offset[i]; k < core_.offset[i + 1]; ++k)
      unary_[k] = base_unary_[k] + spread * part(random_);
  }
  eliminator_.run(nodes, unary_, labels_, random_);
  for (const std::uint32_t i : nodes) free_[i] = false;
  move_to(std::move(labels_));
}

void Search::step() {
  if (core_.size() == 0) return;
  const Nodes nodes = neighbourhood();
  if (!nodes.empty()) free(nodes);
  for (const std::uint32_t i : nodes) free_[i] = false;
}

}  // namespace mtfc::solve
