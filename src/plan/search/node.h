// What waits in a search, by its bound, and what is known.
#pragma once
#include <cstddef>
#include <memory>

#include "plan/space/block_scopes.h"
#include "plan/search/judged.h"

namespace mtfc::plan {

/// Layouts that take at least `bound` seconds.
struct Node {
  Excluded::What what{};
  double bound = 0;
  std::size_t number = 0;  // equal bounds: the first comes first
  std::size_t base = 0;    // rules: which ones, with what scopes of blocks
  Scopings scopings = {};
  std::shared_ptr<const Choice> choice = nullptr;  // of others
};
struct Later {
  bool operator()(const Node& a, const Node& b) const {
    return a.bound != b.bound ? a.bound > b.bound : a.number > b.number;
  }
};

/// What is kept of a layout that was predicted.
struct Known {
  bool legal = false, short_of_memory = false;
  double step = 0, memory = 0, floor = 0;
};

}  // namespace mtfc::plan
