// What waits in a search, by its bound, and what is known.
#pragma once
#include <cstddef>
#include <memory>
#include <string>

#include "plan/search/judged.h"
#include "plan/space/block_scopes.h"

namespace mtfc::plan {

/// Layouts that take at least `bound` seconds.
struct Node {
  Excluded::What what{};
  double bound = 0;
  std::size_t number = 0;  // equal bounds: the first comes first
  std::size_t base = 0;    // rules: which ones, with what scopes of blocks
  Scopings scopings = {};
  std::shared_ptr<const Choice> choice = nullptr;  // of others
  Links links = {};                                // of others
};
struct Later {
  bool operator()(const Node& a, const Node& b) const {
    return a.bound != b.bound ? a.bound > b.bound : a.number > b.number;
  }
};

/// A layout as the key of what is known of it.
inline std::string text_of(const Choice& choice) {
  return to_string(choice.mesh) + ";" + description(choice);
}
/// The same for all schedules.
inline std::string key_of(const Choice& choice) {
  return to_string(choice.mesh) + ";" + rules_text(without_schedule(choice));
}

/// What is kept of a layout that was predicted.
struct Known {
  bool legal = false, short_of_memory = false;
  double step = 0, memory = 0, floor = 0;
  void take(const Price& price, double limit) {
    step = price.step, memory = price.memory, floor = price.sure_floor();
    short_of_memory |= price.short_of_memory || memory > limit;
  }
};

}  // namespace mtfc::plan
