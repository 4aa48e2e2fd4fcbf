#include "plan/space/starts.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>

#include "plan/space/ways_to_keep.h"

namespace mtfc::plan {
namespace {

const Split* find(const Choice& choice, const std::string& dim) {
  for (const Split& split : choice.rules)
    if (split.dim == dim) return &split;
  return nullptr;
}

std::string input_axes(const Space& space, const Choice& choice) {
  std::string kind;
  for (const std::string& dim : space.input_dims) {
    const Split* split = find(choice, dim);
    kind += std::to_string(split ? split->axes.size() : 0) + " ";
  }
  return kind;
}

/// The best by kind and mesh.
class Least {
 public:
  void add(const std::string& kind, const std::string& mesh, double worth, const Choice& choice) {
    if (worth == std::numeric_limits<double>::infinity()) return;
    const auto [at, fresh] = least_[kind].try_emplace(mesh, worth, &choice);
    if (!fresh && worth < at->second.first) at->second = {worth, &choice};
  }
  /// Of each kind those on so many meshes; the kinds with the best first, since time may be short.
  Starts starts(std::size_t most) const {
    std::vector<std::pair<double, std::vector<Choice>>> kinds;
    for (const auto& [kind, by_mesh] : least_) {
      std::vector<std::pair<double, const Choice*>> order;
      for (const auto& [mesh, start] : by_mesh) order.push_back(start);
      std::stable_sort(order.begin(), order.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      if (order.size() > most) order.resize(most);
      auto& [best, some] = kinds.emplace_back(order.front().first, std::vector<Choice>());
      for (const auto& [worth, choice] : order) some.push_back(*choice);
    }
    std::stable_sort(kinds.begin(), kinds.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    Starts all;
    for (auto& [best, some] : kinds) all.push_back(std::move(some));
    return all;
  }

 private:
  std::map<std::string, std::map<std::string, std::pair<double, const Choice*>>> least_;
};

/// The most with which every shard of the leading dimension of inputs has an example.
std::int64_t most_microbatches(const Space& space, const Choice& choice, const DimTable& dims) {
  std::int64_t most = space.microbatches.back();
  if (!space.input_dims.empty())
    for (const Dim& dim : dims.all())
      if (dim.name == space.input_dims.front()) most = std::min(most, dim.size);
  if (const Split* split = space.input_dims.empty() ? nullptr : find(choice, space.input_dims[0]))
    for (const MeshAxis& axis : choice.mesh.axes)
      if (std::find(split->axes.begin(), split->axes.end(), axis.name) != split->axes.end())
        most /= axis.size;
  std::int64_t found = space.microbatches.front();
  for (const std::int64_t count : space.microbatches)
    if (count <= most) found = count;
  return found;
}

/// With four for each stage, and with as many as there can be: fast, and small.
void set_microbatches(const Space& space, const DimTable& dims, std::vector<Choice>& starts) {
  std::vector<Choice> all;
  for (Choice& one : starts) {
    const std::int64_t most = most_microbatches(space, one, dims);
    all.emplace_back(one).microbatches = most;
    for (const std::int64_t count : space.microbatches)
      if (count < most && count >= 4 * one.pipeline->stages) {
        all.emplace_back(one).microbatches = count;
        break;
      }
  }
  starts = std::move(all);
}

/// If its parameters do not fit as rules split them, and may be kept otherwise: the smallest way.
void keep_split(const Space& space, const DimTable& dims, const Holding& holding, Choice& choice) {
  double least = holding.bytes(choice);
  if (least <= holding.limit) return;
  const Choice plain = choice;
  for (std::vector<Split>& way : ways_to_keep(space, plain, dims)) {
    Choice other = plain;
    other.kept = std::move(way);
    const double bytes = holding.bytes(other);
    if (bytes >= least) continue;
    least = bytes;
    choice = std::move(other);
  }
}

}  // namespace

Starts plain_starts(const Space& space, const std::vector<Choice>& bases, const WorthOf& worth,
                    const Holding& holding, const DimTable& dims) {
  Least least;
  for (const Choice& base : bases)
    if (!base.pipeline) least.add(input_axes(space, base), to_string(base.mesh), worth(base), base);
  constexpr std::size_t most_meshes = 4;
  Starts starts = least.starts(most_meshes);
  for (std::vector<Choice>& some : starts) {
    for (Choice& one : some) {
      one.microbatches = space.microbatches.front();
      keep_split(space, dims, holding, one);
    }
    // Of the best mesh one that holds less at a time.
    const std::int64_t most = most_microbatches(space, some.front(), dims);
    Choice less = some.front();
    for (const std::int64_t count : space.microbatches)
      if (count * count <= most) less.microbatches = count;
    if (less.microbatches > some.front().microbatches) some.push_back(std::move(less));
  }
  return starts;
}

Starts staged_starts(const Space& space, const std::vector<Choice>& bases, const WorthOf& worth,
                     const Holding& holding, const DimTable& dims) {
  Least least;
  for (const Choice& base : bases) {
    if (!base.pipeline || base.pipeline->submeshes) continue;
    Choice one = base;
    one.microbatches = most_microbatches(space, one, dims);
    least.add("", std::to_string(one.pipeline->stages) + ";" + to_string(one.mesh), worth(one),
              base);
  }
  constexpr std::size_t most = 12;
  Starts starts;
  for (const std::vector<Choice>& best : least.starts(most))
    for (const Choice& one : best) {
      starts.push_back({one});
      keep_split(space, dims, holding, starts.back().front());
    }
  for (std::vector<Choice>& some : starts) set_microbatches(space, dims, some);
  return starts;
}

}  // namespace mtfc::plan
