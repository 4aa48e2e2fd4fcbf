#include "train/loop/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <mutex>

namespace mtfc::runtime {
namespace {

std::atomic<int> noted{0};
// The processors of one process may all train: signals are the process's.
std::mutex guards;
int open_guards = 0;
struct sigaction old_interrupt {
}, old_terminate{}, old_limit{};

extern "C" void note_signal(int signal) {
  int none = 0;
  if (!noted.compare_exchange_strong(none, signal)) ::_exit(128 + signal);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  const std::lock_guard lock(guards);
  if (open_guards++ > 0) return;
  noted = 0;
  struct sigaction action {};
  action.sa_handler = note_signal;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, &old_interrupt);
  ::sigaction(SIGTERM, &action, &old_terminate);
  action.sa_handler = SIG_IGN;  // a write beyond a limit on files fails, and says so
  ::sigaction(SIGXFSZ, &action, &old_limit);
}

InterruptGuard::~InterruptGuard() {
  const std::lock_guard lock(guards);
  if (--open_guards > 0) return;
  ::sigaction(SIGINT, &old_interrupt, nullptr);
  ::sigaction(SIGTERM, &old_terminate, nullptr);
  ::sigaction(SIGXFSZ, &old_limit, nullptr);
}

int InterruptGuard::signal() { return noted; }

}  // namespace mtfc::runtime
