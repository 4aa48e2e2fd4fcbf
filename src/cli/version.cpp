#include "cli/version.h"

#include "cli/commands.h"

namespace mtfc::cli {

const char* const program_version = MTFC_VERSION;

int version(Session& session) {
  session.print(std::string("mtfc ") + program_version + "\n");
  return session.finish(exit_done);
}

}  // namespace mtfc::cli
