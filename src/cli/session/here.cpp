#include "cli/session/here.h"

#include <cstdlib>

namespace mtfc::cli {

std::string here_path() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  // A relative path there is to be ignored (XDG Base Directory Specification).
  if (const std::string folder = variable("XDG_CONFIG_HOME"); folder.starts_with("/"))
    return folder + "/mtfc/here.layout";
  if (const std::string home = variable("HOME"); !home.empty())
    return home + "/.config/mtfc/here.layout";
  return "";
}

}  // namespace mtfc::cli
