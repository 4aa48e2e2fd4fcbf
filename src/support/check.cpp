#include "support/check.h"

#include <cstdio>
#include <cstdlib>

#include "support/exit_status.h"

namespace mtfc {

void internal_error(const char* file, int line, const std::string& what) {
  std::fflush(stdout);
  std::fprintf(stderr,
               "mtfc: internal error: %s (%s:%d)\nThis is a bug in mtfc; please report it.\n",
               what.c_str(), file, line);
#ifdef MTFC_FUZZ
  std::abort();  // what a fuzzer keeps the input of
#else
  std::_Exit(exit_internal);
#endif
}

}  // namespace mtfc
