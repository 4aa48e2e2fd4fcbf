#include "plan/space/chain.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "layout/stages.h"
#include "plan/space/block_paths.h"
#include "support/text.h"

namespace mtfc::plan {
namespace {

/// The first segment of a path below `around`, with what is before it.
std::string child_of(const std::string& path, const std::string& around) {
  return path.substr(0, path.find('.', around.empty() ? 0 : around.size() + 1));
}

class Cutter {
 public:
  explicit Cutter(const Model& model)
      : model_(model), paths_(lowering::block_instances(model)), repeats_(iterations_of(model)) {}

  std::vector<std::string> globs() {
    add_below("");
    return std::move(globs_);
  }

 private:
  void add_below(const std::string& around) {
    for (const std::string& path : paths_) {
      if (!around.empty() && !is_nested(path, around)) continue;
      const std::string child = child_of(path, around);
      if (path == child) add(child);
    }
  }
  void add(const std::string& path) {
    if (!has_parameters(path)) return;
    if (repeats_.contains(path))
      globs_.push_back(path + ".*");
    else if (repeats_below(path))
      add_below(path);
    else
      globs_.push_back(path);
  }
  bool has_parameters(const std::string& path) const {
    return std::any_of(model_.variables.begin(), model_.variables.end(),
                       [&](const Variable& variable) { return is_nested(variable.path, path); });
  }
  bool repeats_below(const std::string& path) const {
    return std::any_of(repeats_.begin(), repeats_.end(),
                       [&](const auto& one) { return is_nested(one.first, path); });
  }

  const Model& model_;
  const std::vector<std::string> paths_;
  const std::map<std::string, std::int64_t> repeats_;
  std::vector<std::string> globs_;
};

/// "stage1", "stage2" in one, if these match nothing else: "stage*".
std::vector<std::string> shortened(const std::vector<std::string>& globs, const Model& model) {
  std::vector<std::string> made;
  for (const std::string& glob : globs) {
    std::string text;
    for (const char c : glob) {
      const bool digit = c >= '0' && c <= '9';
      if (!digit) text += c;
      if (digit && (text.empty() || text.back() != '*')) text += '*';
    }
    if (std::find(made.begin(), made.end(), text) == made.end()) made.push_back(text);
  }
  return lowering::blocks_matching(made, model) == lowering::blocks_matching(globs, model) ? made
                                                                                           : globs;
}

}  // namespace

std::map<std::string, std::int64_t> iterations_of(const Model& model) {
  constexpr std::int64_t most = 999'999;
  std::map<std::string, std::int64_t> found;
  for (const Variable& variable : model.variables) {
    const std::string& path = variable.path;
    for (std::size_t dot = path.find('.'); dot != path.npos; dot = path.find('.', dot + 1)) {
      const std::size_t end = path.find('.', dot + 1);
      const std::string segment = path.substr(dot + 1, end - dot - 1);
      const std::optional<std::int64_t> number = read_whole(segment, 0, most);
      if (!number) continue;
      std::int64_t& count = found[path.substr(0, dot)];
      count = std::max(count, *number + 1);
    }
  }
  return found;
}

Chain chain_of(const Model& model) {
  Chain chain;
  const std::map<std::string, std::int64_t> repeats = iterations_of(model);
  if (repeats.size() == 1) {
    chain.globs = {repeats.begin()->first + ".*"};
    chain.blocks = repeats.begin()->second;
    return chain;
  }
  chain.alike = false;
  chain.globs = shortened(Cutter(model).globs(), model);
  chain.blocks = static_cast<std::int64_t>(lowering::blocks_matching(chain.globs, model).size());
  return chain.blocks < 2 ? Chain{} : chain;
}

}  // namespace mtfc::plan
