// Axes: from numbers to places, with ticks at round numbers.
#pragma once
#include <string>
#include <vector>

namespace mtfc::plot {

/// Grows with the values that it is shown.
struct Range {
  double low = 0, high = 0;
  bool empty = true;
  void add(double value);
};

struct Tick {
  double at = 0;  // a share of the axis, 0 to 1
  std::string label;
};

class Axis {
 public:
  /// About `ticks` of them, at 1, 2 or 5 times a power of ten. `padded`: a little room is left
  /// beyond the values. A logarithmic axis needs a range above 0.
  static Axis linear(Range range, int ticks, bool padded);
  static Axis logarithmic(Range range);

  /// A share of the axis, 0 to 1 within the range.
  double position(double value) const;
  bool can_label(double value) const;
  const std::vector<Tick>& ticks() const { return ticks_; }

 private:
  Axis(double low, double high, bool log) : low_(low), high_(high), log_(log) {}
  void add_tick(double value, std::string label);

  double low_, high_;  // logarithms to the base 10, if log_
  bool log_;
  std::vector<Tick> ticks_;
};

}  // namespace mtfc::plot
