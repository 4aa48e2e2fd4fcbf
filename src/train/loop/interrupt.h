// Ctrl-C: the first one asks the loop to end after the step, the second one ends the process.
#pragma once

namespace mtfc::runtime {

/// While it lives, SIGINT and SIGTERM are noted instead of obeyed, and SIGXFSZ is not obeyed. One
/// at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// The signal that came, or 0.
  static int signal();
};

}  // namespace mtfc::runtime
