#include "plot/axis.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace mtfc::plot {
namespace {

/// 1, 2 or 5 times a power of ten, not below `least`.
double round_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

/// "12,000", "0.05", "2e-05": as many digits as the steps between ticks need.
std::string label(double value, double step) {
  char text[64];
  const double size = std::max(std::abs(value), step);
  if (size >= 1e7 || size < 1e-3) {
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
  }
  const int digits = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  std::string plain = text;
  const std::size_t end = std::min(plain.find('.'), plain.size());
  const std::size_t begin = plain[0] == '-' ? 1 : 0;
  for (std::size_t at = end; at > begin + 3; at -= 3) plain.insert(at - 3, 1, ',');
  return plain;
}

}  // namespace

void Range::add(double value) {
  if (!std::isfinite(value)) return;
  low = empty ? value : std::min(low, value);
  high = empty ? value : std::max(high, value);
  empty = false;
}

Axis Axis::linear(Range range, int ticks, bool padded) {
  double low = range.low, high = range.high;
  const double size = std::max({std::abs(low), std::abs(high), 1e-12});
  // A constant still needs an axis, and digits below a double's cannot be told apart.
  if (high - low < 1e-9 * size) {
    low -= padded ? 0.5 * size : 0;
    high += 0.5 * size;
  }
  const double room = padded ? 0.04 * (high - low) : 0;
  // Values that are not negative do not need an axis below 0.
  low = low >= 0 ? std::max(0.0, low - room) : low - room;
  high += room;
  Axis axis(low, high, false);
  const double step = round_step((high - low) / ticks);
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k)
    axis.add_tick(k * step, label(k * step == 0 ? 0 : k * step, step));
  return axis;
}

Axis Axis::logarithmic(Range range) {
  const double low = std::log10(range.low), high = std::log10(range.high);
  const double room = std::max(0.04 * (high - low), 0.02);
  Axis axis(low - room, high + room, true);
  const double decades = axis.high_ - axis.low_;
  const int every = std::max(1, static_cast<int>(decades / 8));
  const int first = static_cast<int>(std::floor(axis.low_)) - 1;
  const int last = static_cast<int>(std::ceil(axis.high_));
  for (int power = first; power <= last; ++power)
    for (const double factor : {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0}) {
      if (factor != 1 && decades > 3) continue;
      if (factor != 1 && factor != 2 && factor != 5 && decades > 1) continue;
      if (factor == 1 && power % every != 0) continue;
      const double value = factor * std::pow(10, power);
      char text[32];
      std::snprintf(text, sizeof text, "%.3g", value);
      axis.add_tick(value, text);
    }
  return axis;
}

void Axis::add_tick(double value, std::string label) {
  const double at = position(value);
  if (at >= -1e-9 && at <= 1 + 1e-9) ticks_.push_back({at, std::move(label)});
}

double Axis::position(double value) const {
  return ((log_ ? std::log10(value) : value) - low_) / (high_ - low_);
}

bool Axis::can_label(double value) const { return std::isfinite(value) && (!log_ || value > 0); }

}  // namespace mtfc::plot
