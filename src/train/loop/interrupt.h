// Signals that end a run: the first one asks the loop to end after the step, with a checkpoint.
#pragma once

namespace mtfc::runtime {

/// While it lives, SIGINT, SIGTERM and SIGHUP are noted instead of obeyed (SIGHUP that was ignored
/// before, by nohup, stays so). A second one ends the process. SIGXFSZ and SIGPIPE are ignored:
/// a write beyond a limit, or to a reader that is gone, fails and is reported where it matters.
/// Guards may be nested; the outermost counts.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// The signal that came, or 0.
  static int signal();
  /// While there is nothing to save: a signal ends the process at once, whatever it waits for.
  static void end_at_once(bool yes);
  /// A second signal is ignored, too: launchers send several, and kill what does not end.
  static void ignore_repeated();
};

}  // namespace mtfc::runtime
