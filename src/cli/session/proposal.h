// A change that a diagnostic proposes in one of the files that are repaired.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mtfc::cli {

using Texts = std::map<std::string, std::string>;  // by path

struct Proposal {
  std::string path;
  std::vector<std::pair<std::pair<std::size_t, std::size_t>, std::string>> changes;  // bytes
};

/// Where a proposal takes one name for another: the same the other way round, if the name that it
/// would write stands only once in all texts, as where it is declared, and the other one more often
/// than that. Then the one is the slip, not the many. Nothing: it does not.
std::optional<Proposal> the_other_way(const Texts& texts, const Proposal& proposal);

}  // namespace mtfc::cli
