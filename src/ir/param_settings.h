// Which setting of the `params` groups counts for a parameter.
#pragma once
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/model.h"

namespace mtfc {

/// The value of `init = none`, which no file is called.
inline constexpr std::string_view no_initial_file = "";

struct ParamSetting {
  /// Null: no group says anything. `init` is a path, absolute or from the working directory, or
  /// `no_initial_file`.
  const Variant<double, bool, std::string>* value = nullptr;
  const std::string* glob = nullptr;  // the pattern that matched
  const ParamSettings* group = nullptr;
};

/// Of several groups that match the path and have the key, the last one counts.
ParamSetting find_param_setting(const std::vector<ParamSettings>& groups, const std::string& path,
                                const std::string& key);

}  // namespace mtfc
