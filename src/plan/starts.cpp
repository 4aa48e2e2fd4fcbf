#include "plan/starts.h"

#include <algorithm>
#include <map>
#include <string>

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

std::size_t other_rules(const Space& space, const Choice& choice) {
  std::size_t count = choice.rules.size();
  for (const std::string& dim : space.input_dims) count -= find(choice, dim) ? 1 : 0;
  return count;
}

bool fills_nodes(const Mesh& mesh, const predict::Machine& machine) {
  if (mesh.axes.size() < 2 || machine.levels.empty()) return true;
  const std::int64_t node = machine.levels.front().size;
  return mesh.axes.back().size == std::min(node, mesh.processors() / 2);
}

/// Those with the least bound, by kind and mesh.
class Least {
 public:
  explicit Least(const BoundOf& bound) : bound_(bound) {}

  void add(const std::string& kind, const Choice& choice) {
    const double bound = bound_(choice);
    const auto [at, fresh] = least_[kind].try_emplace(to_string(choice.mesh), bound, &choice);
    if (!fresh && bound < at->second.first) at->second = {bound, &choice};
  }
  Starts starts() const {
    Starts all;
    for (const auto& [kind, by_mesh] : least_) {
      all.emplace_back();
      for (const auto& [mesh, start] : by_mesh) all.back().push_back(*start.second);
    }
    return all;
  }

 private:
  const BoundOf& bound_;
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

}  // namespace

Starts plain_starts(const Space& space, const std::vector<Choice>& bases, const BoundOf& bound) {
  Least least(bound);
  for (const Choice& base : bases)
    if (!base.pipeline) least.add(input_axes(space, base), base);
  Starts starts = least.starts();
  for (std::vector<Choice>& some : starts)
    for (Choice& one : some) one.microbatches = space.microbatches.front();
  return starts;
}

Starts staged_starts(const Space& space, const std::vector<Choice>& bases, const BoundOf& bound,
                     const predict::Machine& machine, const DimTable& dims) {
  Least with_examples(bound), any(bound);
  for (const Choice& base : bases) {
    if (!base.pipeline || !fills_nodes(base.mesh, machine)) continue;
    const std::string kind = input_axes(space, base) +
                             std::to_string(std::min<std::size_t>(other_rules(space, base), 3));
    const bool splits_examples =
        !space.input_dims.empty() && find(base, space.input_dims.front()) != nullptr;
    (splits_examples ? with_examples : any).add(kind, base);
  }
  Starts starts = with_examples.starts();
  if (starts.empty()) starts = any.starts();
  for (std::vector<Choice>& some : starts) set_microbatches(space, dims, some);
  return starts;
}

}  // namespace mtfc::plan
