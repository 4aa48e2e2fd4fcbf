// Our own mistakes: stop loudly. A user's mistake is a Diagnostic (diagnostic.h), never a check.
#pragma once
#include <string>

namespace mtfc {

/// Prints the failed condition with its place on stderr and ends the process with status 70.
[[noreturn]] void internal_error(const char* file, int line, const std::string& what);

}  // namespace mtfc

#define MTFC_CHECK(condition, what)                                       \
  do {                                                                    \
    if (!(condition)) ::mtfc::internal_error(__FILE__, __LINE__, (what)); \
  } while (false)
