#include "cli/environment.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "support/text.h"

namespace mtfc::cli {
namespace {

struct EnvironmentVariable {
  const char* name;
  std::vector<std::string> values;
};

/// `MTFC_MPI` may be a path; what cannot be loaded is an error there.
const EnvironmentVariable variables[] = {
    {"MTFC_DATA", {"parts"}},
    {"MTFC_ISA", {"baseline", "sse2", "avx2", "avx512"}},
    {"MTFC_PRODUCT", {"eigen", "onednn"}},
};

}  // namespace

void note_environment(const Session& session) {
  for (const EnvironmentVariable& variable : variables) {
    const char* set = std::getenv(variable.name);
    const std::string value = set == nullptr ? "" : set;
    const auto& known = variable.values;
    if (value.empty() || std::find(known.begin(), known.end(), value) != known.end()) continue;
    session.note(backquoted(variable.name + ("=" + value)) + " has no effect: mtfc knows " +
                 joined(known, ", ", [](const std::string& one) { return backquoted(one); }));
  }
}

}  // namespace mtfc::cli
