#include "support/environment.h"

#include <algorithm>
#include <cstdlib>

#include "support/instruction_set.h"

namespace mtfc {
namespace {

std::vector<std::string_view> isa_values() {
  std::vector<std::string_view> values;
  for (const IsaWord& row : isa_words) values.push_back(row.word);
  return values;
}

}  // namespace

const std::vector<EnvironmentVariable>& environment_variables() {
  static const std::vector<EnvironmentVariable> variables = {
      {"MTFC_DATA", {"parts"}},
      {"MTFC_ISA", isa_values()},
      {"MTFC_PRODUCT", {"eigen", "onednn"}},
      {"MTFC_SHARED_MEMORY", {"off"}},
  };
  return variables;
}

std::string_view environment(std::string_view name) {
  for (const EnvironmentVariable& variable : environment_variables()) {
    if (variable.name != name) continue;
    const char* set = std::getenv(variable.name);
    const std::string_view value = set == nullptr ? "" : set;
    const auto& known = variable.values;
    return std::find(known.begin(), known.end(), value) == known.end() ? "" : value;
  }
  return "";
}

}  // namespace mtfc
