// How long a search may take.
#pragma once
#include <chrono>

namespace mtfc::solve {

class Clock {
 public:
  explicit Clock(double seconds) : seconds_(seconds) {}
  double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  double left() const { return seconds_ - elapsed(); }
  bool is_up() const { return left() <= 0; }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double seconds_;
};

}  // namespace mtfc::solve
