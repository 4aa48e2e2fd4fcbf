// How long a search may take.
#pragma once
#include <chrono>

#include "support/seconds_since.h"

namespace mtfc::solve {

class Clock {
 public:
  explicit Clock(double seconds) : seconds_(seconds) {}
  double elapsed() const { return seconds_since(start_); }
  double left() const { return seconds_ - elapsed(); }
  bool is_up() const { return left() <= 0; }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double seconds_;
};

}  // namespace mtfc::solve
