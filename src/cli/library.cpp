// mtfc lib: the library files that ship in the binary.
#include "cli/commands.h"
#include "frontend/elaborate/elaborate.h"
#include "support/render.h"

namespace mtfc::cli {

int library(Session& session) {
  std::vector<std::string> names, quoted;
  for (const LibraryFile& file : shipped_library()) {
    names.emplace_back(file.name);
    quoted.push_back(json(file.name));
  }
  if (session.options.names.empty()) {
    for (const std::string& name : names) session.print(name + "\n");
    return session.finish(exit_done, {{"files", json_array(quoted)}});
  }
  if (session.options.names.size() > 1) return session.misused("one library file at a time");
  const std::string& wanted = session.options.names.front();
  for (const LibraryFile& file : shipped_library()) {
    if (file.name != wanted) continue;
    session.print(std::string(file.text));
    return session.finish(exit_done, {{"file", json(file.name)}, {"text", json(file.text)}});
  }
  const std::vector<std::string> near = did_you_mean(wanted, names);
  return session.misused("the library has no file `" + wanted + "`",
                         near.empty() ? "" : "did you mean `" + near.front() + "`?");
}

}  // namespace mtfc::cli
