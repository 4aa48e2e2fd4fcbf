#include "cli/session/note_environment.h"

#include <cstdlib>
#include <string>

#include "support/environment.h"
#include "support/text.h"

namespace mtfc::cli {

void note_environment(const Session& session) {
  for (const EnvironmentVariable& variable : environment_variables()) {
    const char* set = std::getenv(variable.name);
    if (set == nullptr || *set == '\0' || !environment(variable.name).empty()) continue;
    session.note(
        backquoted(variable.name + ("=" + std::string(set))) + " has no effect: mtfc knows " +
        joined(variable.values, ", ", [](std::string_view one) { return backquoted(one); }));
  }
}

}  // namespace mtfc::cli
