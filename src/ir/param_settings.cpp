#include "ir/param_settings.h"

#include "ir/glob.h"

namespace mtfc {

ParamSetting find_param_setting(const std::vector<ParamSettings>& groups, const std::string& path,
                                const std::string& key) {
  ParamSetting found;
  for (const ParamSettings& group : groups) {
    const auto it = group.settings.find(key);
    if (it == group.settings.end()) continue;
    for (const std::string& glob : group.globs)
      if (glob_matches(glob, path)) found = {&it->second, &glob, &group};
  }
  return found;
}

}  // namespace mtfc
