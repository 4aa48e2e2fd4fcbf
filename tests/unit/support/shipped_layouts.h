// The layouts that ship, for tests of what holds for each of them.
#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "unit/support/nightly.h"

namespace mtfc::test {

/// Below `models`/layouts, in the order of paths: at night all, for each change one of three. Not
/// the paper's, which needs other sizes and 512 processors.
inline std::vector<std::filesystem::path> shipped_layouts(const std::filesystem::path& models) {
  const std::set<std::filesystem::path> all{
      std::filesystem::recursive_directory_iterator(models / "layouts"), {}};
  std::vector<std::filesystem::path> some;
  OneOfThree series;
  for (const std::filesystem::path& path : all)
    if (path.extension() == ".layout" && path.stem() != "paper" && !series.skips())
      some.push_back(path);
  return some;
}

/// Sizes of a model, as -D has them: by day it has two layers, of which more are alike.
inline std::vector<std::pair<std::string, std::string>> shipped_sizes(const std::string& text) {
  if (is_nightly() || text.find("\ndim layers = ") == std::string::npos) return {};
  return {{"layers", "2"}};
}

}  // namespace mtfc::test
