#include "predict/mapping.h"

#include "support/text.h"

namespace mtfc::predict {
namespace {

/// The largest divisor of `size` that is at most `most`.
std::int64_t largest_divisor(std::int64_t size, std::int64_t most) {
  if (size <= most) return size;
  std::int64_t best = 1;
  for (std::int64_t d = 1; d * d <= size; ++d) {
    if (size % d != 0) continue;
    if (d <= most) best = std::max(best, d);
    if (size / d <= most) best = std::max(best, size / d);
  }
  return best;
}

void add_part(LevelUse& level, AxisId axis, std::int64_t size) {
  level.parts.push_back({axis, size, level.units});
  level.units *= size;
}

}  // namespace

std::optional<Mapping> map_mesh(const Mesh& mesh, const Machine& machine) {
  Mapping mapping(machine.levels.size());
  std::size_t level = 0;
  for (std::size_t i = mesh.axes.size(); i-- > 0;) {
    const AxisId axis{static_cast<std::int32_t>(i)};
    std::int64_t rest = mesh.axes[i].size;
    if (machine.by_axis) level = mesh.axes.size() - 1 - i;
    while (rest > 1) {
      if (level == mapping.size()) return std::nullopt;
      const std::int64_t room = machine.levels[level].size / mapping[level].units;
      const std::int64_t part = largest_divisor(rest, room);
      if (part > 1) add_part(mapping[level], axis, part);
      rest /= part;
      if (rest > 1) ++level;
    }
  }
  for (std::size_t i = 1; i < mapping.size(); ++i)
    mapping[i].inside = mapping[i - 1].inside * mapping[i - 1].units;
  return mapping;
}

std::string to_string(const Mesh& mesh, const Machine& machine, const Mapping& mapping) {
  std::string text;
  for (std::size_t i = 0; i < mapping.size(); ++i) {
    if (mapping[i].parts.empty()) continue;
    const Level& level = machine.levels[i];
    text += (text.empty() ? "" : "; ") + level.name + " (" + std::string(name(level.topology)) +
            ", " + std::to_string(mapping[i].units) +
            (mapping[i].units < level.size ? " of " + std::to_string(level.size) : "") + "): ";
    text += joined(mapping[i].parts, " x ", [&](const AxisPart& part) {
      return mesh.name(part.axis) + "=" + std::to_string(part.size);
    });
  }
  return text.empty() ? "one processor" : text;
}

}  // namespace mtfc::predict
