// Variables of the environment that mtfc and the programs that it writes obey, with all values that
// mean something. `MTFC_MPI` is not among them: it may be a path.
#pragma once
#include <string_view>
#include <vector>

namespace mtfc {

struct EnvironmentVariable {
  const char* name;
  std::vector<std::string_view> values;
};
const std::vector<EnvironmentVariable>& environment_variables();

/// What one of them is set to; empty: nothing, or none of its values.
std::string_view environment(std::string_view name);

}  // namespace mtfc
