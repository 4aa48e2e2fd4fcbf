#include "support/last_words.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

namespace mtfc {
namespace {

const char* message_of_end = "";
int status_of_end = EXIT_FAILURE;
std::terminate_handler usual = nullptr;

bool by_memory() {
  const std::exception_ptr thrown = std::current_exception();
  if (!thrown) return false;
  try {
    std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    return true;
  } catch (...) {
    return false;
  }
}

void end() {
  if (!by_memory()) usual();
  const ssize_t written = ::write(STDERR_FILENO, message_of_end, std::strlen(message_of_end));
  (void)written;  // the status says it as well
  ::_exit(status_of_end);
}

}  // namespace

void say_when_memory_ends(const char* message, int status) {
  message_of_end = message;
  status_of_end = status;
  if (usual == nullptr) usual = std::set_terminate(end);
}

}  // namespace mtfc
