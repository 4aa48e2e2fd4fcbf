#include "train/loop/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <iterator>
#include <mutex>

#include "data/files/read_file.h"
#include "support/exit_status.h"

namespace mtfc::runtime {
namespace {

std::atomic<int> noted{0};
std::atomic<bool> at_once{false}, repeated_ignored{false};
// The processors of one process may all train: signals are the process's.
std::mutex guards;
int open_guards = 0;

constexpr int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};
constexpr int ignored_signals[] = {SIGXFSZ, SIGPIPE};
struct sigaction old_ending[std::size(ending_signals)], old_failing[std::size(ignored_signals)];

/// Only what may be called in a handler.
extern "C" void note_signal(int signal) {
  if (at_once) {
    constexpr char text[] = "ended by a signal before the first step\n";
    if (::write(STDERR_FILENO, text, sizeof text - 1) < 0) ::_exit(exit_signal + signal);
    ::signal(signal, SIG_DFL);
    ::raise(signal);  // once this handler has returned
    return;
  }
  int none = 0;
  if (!noted.compare_exchange_strong(none, signal) && !repeated_ignored)
    ::_exit(exit_signal + signal);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  const std::lock_guard lock(guards);
  if (open_guards++ > 0) return;
  noted = 0;
  interrupt_reading_if([] { return noted != 0; });
  struct sigaction action {};
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < std::size(ending_signals); ++i) {
    action.sa_handler = note_signal;
    ::sigaction(ending_signals[i], &action, &old_ending[i]);
    // nohup's doing; that a shell ignores SIGINT for what it starts in the background is not asked
    // for.
    if (ending_signals[i] == SIGHUP && old_ending[i].sa_handler == SIG_IGN)
      ::sigaction(SIGHUP, &old_ending[i], nullptr);
  }
  action.sa_handler = SIG_IGN;
  for (std::size_t i = 0; i < std::size(ignored_signals); ++i)
    ::sigaction(ignored_signals[i], &action, &old_failing[i]);
}

InterruptGuard::~InterruptGuard() {
  const std::lock_guard lock(guards);
  if (--open_guards > 0) return;
  interrupt_reading_if(nullptr);
  at_once = repeated_ignored = false;
  for (std::size_t i = 0; i < std::size(ending_signals); ++i)
    ::sigaction(ending_signals[i], &old_ending[i], nullptr);
  for (std::size_t i = 0; i < std::size(ignored_signals); ++i)
    ::sigaction(ignored_signals[i], &old_failing[i], nullptr);
}

int InterruptGuard::signal() { return noted; }
void InterruptGuard::end_at_once(bool yes) { at_once = yes; }
void InterruptGuard::ignore_repeated() { repeated_ignored = true; }

}  // namespace mtfc::runtime
