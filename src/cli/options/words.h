// Words of the command line that rows list and commands tell apart.
#pragma once
#include <string>
#include <vector>

namespace mtfc::cli {

namespace error_forms {
inline constexpr const char *human = "human", *json = "json", *github = "github", *sarif = "sarif";
inline const std::vector<std::string> all = {human, json, github, sarif};
}  // namespace error_forms

namespace shells {
inline constexpr const char *bash = "bash", *zsh = "zsh", *fish = "fish";
inline const std::vector<std::string> all = {bash, zsh, fish};
}  // namespace shells

/// What `draw` draws, beside lines and tensors.
namespace drawn {
inline constexpr const char *flow = "flow", *memory = "memory", *passes = "passes";
inline const std::vector<std::string> all = {flow, memory, passes};
}  // namespace drawn

}  // namespace mtfc::cli
