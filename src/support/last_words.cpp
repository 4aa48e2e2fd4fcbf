#include "support/last_words.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <new>

namespace mtfc {
namespace {

const char* message_of_end = "";
int status_of_end = EXIT_FAILURE;
std::terminate_handler usual = nullptr;
std::atomic<bool> memory_ended{false};
std::atomic<const char*> use_of_memory{nullptr};

bool by_memory() {
  const std::exception_ptr thrown = std::current_exception();
  if (!thrown) return memory_ended;
  try {
    std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    return true;
  } catch (...) {
    return false;
  }
}

/// Only what may be called in a handler of a signal.
[[noreturn]] void write_and_exit() {
  const ssize_t written = ::write(STDERR_FILENO, message_of_end, std::strlen(message_of_end));
  (void)written;  // the status says it as well
  ::_exit(status_of_end);
}

void on_terminate() {
  if (by_memory()) write_and_exit();
  errno = 0;  // what failed long ago is not why it aborts
  usual();
}

/// The C library aborts by itself where it has no memory for a destructor of a thread.
extern "C" void on_abort(int) {
  if (memory_ended || errno == ENOMEM) write_and_exit();
  ::signal(SIGABRT, SIG_DFL);  // abort() goes on
}

}  // namespace

void exit_when_memory_ends(const char* message, int status) {
  static std::once_flag once;  // processors that are threads come together
  std::call_once(once, [&] {
    message_of_end = message;
    status_of_end = status;
    usual = std::set_terminate(on_terminate);
    ::signal(SIGABRT, on_abort);
  });
}

void note_end_of_memory() { memory_ended = true; }

void note_use_of_memory(const char* what) { use_of_memory = what; }

std::string not_enough_memory() {
  const char* what = use_of_memory;
  return "not enough memory" + (what == nullptr ? "" : " for " + std::string(what));
}

}  // namespace mtfc
