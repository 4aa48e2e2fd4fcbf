// mtfc --version.
#include "cli/commands.h"

namespace mtfc::cli {

int version(Session& session) {
  session.print(std::string("mtfc ") + program_version + "\n");
  return session.finish(exit_done);
}

}  // namespace mtfc::cli
