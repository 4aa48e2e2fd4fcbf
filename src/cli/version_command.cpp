// mtfc --version.
#include "cli/options/commands.h"
#include "cli/session/session.h"

namespace mtfc::cli {

int version(Session& session) {
  session.print(std::string("mtfc ") + program_version + "\n");
  return session.finish(exit_done);
}

}  // namespace mtfc::cli
