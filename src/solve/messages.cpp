#include "solve/messages.h"

#include <algorithm>

#include "solve/min_plus.h"

namespace mtfc::solve {
Messages::Messages(const Core& core)
    : core_(core), messages_(core.message_size, 0.0), labels_(core.size(), 0) {
  std::size_t most = 1;
  for (std::size_t i = 0; i < core.size(); ++i) {
    std::size_t down = 0, up = 0;
    for (const CoreLink& link : core.links_of(i)) ++(link.other < i ? down : up);
    weight_.push_back(1.0 / static_cast<double>(std::max<std::size_t>({down, up, 1})));
    most = std::max<std::size_t>(most, core.labels[i]);
  }
  sum_.resize(most);
  scratch_.resize(most);
}

double Messages::subtract_least(double* values, std::size_t count) {
  const double least = *std::min_element(values, values + count);
  for (std::size_t s = 0; s < count; ++s) values[s] -= least;
  return least;
}

void Messages::gather(std::size_t i, const std::vector<double>& unary) {
  const std::size_t count = core_.labels[i];
  const double* own = &unary[core_.offset[i]];
  std::copy(own, own + count, sum_.begin());
  for (const CoreLink& link : core_.links_of(i)) {
    const double* message = into(i, core_.edges[link.edge]);
    for (std::size_t s = 0; s < count; ++s) sum_[s] += message[s];
  }
}

void Messages::send(std::size_t i, const CoreLink& link, double& least) {
  const CoreEdge& edge = core_.edges[link.edge];
  const bool up = edge.a == i;
  const double* back = up ? to_a(edge) : to_b(edge);
  double* out = up ? to_b(edge) : to_a(edge);
  const double* costs = (up ? core_.costs_ab.data() : core_.costs_ba.data()) + edge.at;
  for (std::size_t s = 0; s < core_.labels[i]; ++s) scratch_[s] = weight_[i] * sum_[s] - back[s];
  min_plus(scratch_.data(), core_.labels[i], costs, core_.labels[link.other], out);
  least = subtract_least(out, core_.labels[link.other]);
}

void Messages::choose(std::size_t i, const std::vector<double>& unary) {
  const std::size_t count = core_.labels[i];
  const double* own = &unary[core_.offset[i]];
  std::copy(own, own + count, scratch_.begin());
  for (const CoreLink& link : core_.links_of(i)) {
    const CoreEdge& edge = core_.edges[link.edge];
    const double* part = link.other < i
                             ? core_.row(link.other, {link.edge, static_cast<std::uint32_t>(i)},
                                         static_cast<std::size_t>(labels_[link.other]))
                             : into(i, edge);
    for (std::size_t s = 0; s < count; ++s) scratch_[s] += part[s];
  }
  const auto begin = scratch_.begin(), end = begin + static_cast<std::ptrdiff_t>(count);
  labels_[i] = static_cast<int>(std::min_element(begin, end) - begin);
}

void Messages::pass(const std::vector<double>& unary) {
  double least = 0;
  for (std::size_t i = 0; i < core_.size(); ++i) {
    choose(i, unary);
    gather(i, unary);
    for (const CoreLink& link : core_.links_of(i))
      if (link.other > i) send(i, link, least);
  }
  bound_ = 0;
  for (std::size_t i = core_.size(); i-- > 0;) {
    gather(i, unary);
    bound_ += subtract_least(sum_.data(), core_.labels[i]);
    for (const CoreLink& link : core_.links_of(i)) {
      if (link.other > i) break;
      send(i, link, least);
      bound_ += least;
    }
  }
}

std::vector<double> Messages::reduced_costs(const std::vector<double>& unary) const {
  std::vector<double> reduced(core_.costs.size(), 0.0);
  std::vector<double> sum, column;
  for (std::size_t i = 0; i < core_.size(); ++i) {
    const std::size_t count = core_.labels[i];
    sum.assign(&unary[core_.offset[i]], &unary[core_.offset[i]] + count);
    double down = 0;
    for (const CoreLink& link : core_.links_of(i)) {
      const double* message = into(i, core_.edges[link.edge]);
      for (std::size_t s = 0; s < count; ++s) sum[s] += message[s];
      if (link.other < i) ++down;
    }
    const double least = *std::min_element(sum.begin(), sum.end());
    for (double& value : sum) value -= least;
    double* out = &reduced[core_.offset[i]];
    for (std::size_t s = 0; s < count; ++s) out[s] += (1 - down * weight_[i]) * sum[s];
    for (const CoreLink& link : core_.links_of(i)) {
      if (link.other > i) break;
      // What is left of the edge, least over the labels of the lower end.
      const CoreEdge& edge = core_.edges[link.edge];
      const double *up = into(i, edge), *down_message = into(link.other, edge);
      std::vector<double> from(core_.labels[link.other]);
      for (std::size_t s = 0; s < from.size(); ++s) from[s] = -down_message[s];
      column.resize(count);
      min_plus(from.data(), from.size(), &core_.costs_ab[edge.at], count, column.data());
      for (std::size_t s = 0; s < count; ++s) column[s] += weight_[i] * sum[s] - up[s];
      const double lowest = *std::min_element(column.begin(), column.end());
      for (std::size_t s = 0; s < count; ++s) out[s] += column[s] - lowest;
    }
  }
  return reduced;
}

}  // namespace mtfc::solve
