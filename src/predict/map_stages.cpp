#include "predict/map_stages.h"

#include <algorithm>
#include <deque>
#include <numeric>

#include "support/rounding.h"
#include "support/text.h"

namespace mtfc::predict {
namespace {

/// From the mapping of the mesh of all stages: the axes of a stage keep their numbers, and that of
/// the stages is behind them.
Mapping mapping_of_stage(Mapping mapping, std::int32_t axes) {
  for (LevelUse& level : mapping)
    for (AxisPart& part : level.parts)
      part.axis = AxisId{part.axis.index == 0 ? axes : part.axis.index - 1};
  return mapping;
}

std::optional<MappedStages> map_alike(const Mesh& mesh, std::int64_t stages,
                                      const Machine& machine) {
  std::optional<Mapping> all = map_mesh(mesh_of_stages(mesh, stages), machine);
  if (!all) return std::nullopt;
  const auto axes = static_cast<std::int32_t>(mesh.axes.size());
  const Mapping mapping = mapping_of_stage(std::move(*all), axes);
  MappedStages mapped;
  MappedStage stage_at{mapping, {}, {}};
  std::vector<std::int64_t> of_stages;  // by level: the factor of their axis
  for (const LevelUse& level : mapping) {
    of_stages.push_back(1);
    for (const AxisPart& part : level.parts)
      if (part.axis.index == axes) of_stages.back() = part.size;
    stage_at.units.push_back(level.units / of_stages.back());
    mapped.units.push_back(level.units);
    mapped.inside.push_back(level.inside);
  }
  for (std::int64_t stage = 0; stage < stages; ++stage) {
    stage_at.at.clear();
    std::int64_t rest = stage;
    for (std::size_t i = 0; i < of_stages.size(); ++i) {
      stage_at.at.push_back(rest % of_stages[i] * stage_at.units[i]);
      rest /= of_stages[i];
    }
    mapped.stages.push_back(stage_at);
  }
  return mapped;
}

/// Units of the levels, given away one after the other.
class Rooms {
 public:
  explicit Rooms(const Machine& machine) : machine_(machine), opened_(machine.levels.size()) {}

  /// The room on this level that has so many units left; nothing: none, and no more can be opened.
  /// Afterwards they are taken, by so many processors.
  struct Room {
    std::size_t level = 0;
    Room* around = nullptr;  // of the next level, in which it is a unit
    std::int64_t at = 0;     // which one
    std::int64_t taken = 0, processors = 0;
  };
  Room* take(std::size_t level, std::int64_t units, std::int64_t processors) {
    if (level >= machine_.levels.size() || units > machine_.levels[level].size) return nullptr;
    Room* found = nullptr;
    for (Room& room : opened_[level])
      if (!found && machine_.levels[level].size - room.taken >= units) found = &room;
    if (!found) found = open(level);
    if (!found) return nullptr;
    found->taken += units;
    for (Room* room = found; room; room = room->around) room->processors += processors;
    return found;
  }

  std::int64_t most_taken(std::size_t level) const {
    std::int64_t most = 1;
    for (const Room& room : opened_[level]) most = std::max(most, room.taken);
    return most;
  }
  /// In one room.
  std::int64_t most_processors(std::size_t level) const {
    std::int64_t most = 1;
    for (const Room& room : opened_[level]) most = std::max(most, room.processors);
    return most;
  }

 private:
  Room* open(std::size_t level) {
    Room room{level};
    if (level + 1 < machine_.levels.size()) {
      room.around = take(level + 1, 1, 0);
      if (!room.around) return nullptr;
      room.at = room.around->taken - 1;
    } else if (!opened_[level].empty()) {
      return nullptr;
    }
    return &opened_[level].emplace_back(room);
  }

  const Machine& machine_;
  std::vector<std::deque<Room>> opened_;  // by level; they do not move
};

/// The outermost level that it uses.
std::size_t top_of(const Mapping& mapping) {
  std::size_t top = 0;
  for (std::size_t i = 0; i < mapping.size(); ++i)
    if (mapping[i].units > 1) top = i;
  return top;
}

/// The largest first.
std::vector<std::size_t> by_size(const std::vector<Mesh>& meshes) {
  std::vector<std::size_t> order(meshes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return meshes[a].processors() > meshes[b].processors();
  });
  return order;
}

std::optional<MappedStages> map_one_by_one(const std::vector<Mesh>& meshes,
                                           const Machine& machine) {
  const std::size_t levels = machine.levels.size();
  MappedStages mapped;
  mapped.stages.resize(meshes.size());
  mapped.units.assign(levels, 1);
  mapped.inside.assign(levels, 1);
  Rooms rooms(machine);
  for (const std::size_t stage : by_size(meshes)) {
    std::optional<Mapping> mapping = map_mesh(meshes[stage], machine);
    if (!mapping) return std::nullopt;
    MappedStage& stage_at = mapped.stages[stage];
    stage_at.at.assign(levels, 0);
    for (std::size_t i = 0; i < levels; ++i) {
      stage_at.units.push_back((*mapping)[i].units);
      mapped.inside[i] = std::max(mapped.inside[i], (*mapping)[i].inside);
    }
    if (machine.by_axis) {
      if (levels > 0) stage_at.at.back() = static_cast<std::int64_t>(stage);
    } else {
      const std::size_t top = top_of(*mapping);
      const std::int64_t units = top < levels ? (*mapping)[top].units : 1;
      const Rooms::Room* room = rooms.take(top, units, meshes[stage].processors());
      if (!room) return std::nullopt;
      stage_at.at[top] = room->taken - units;
      for (; room->around; room = room->around) stage_at.at[room->level + 1] = room->at;
    }
    stage_at.mapping = std::move(*mapping);
  }
  for (std::size_t i = 0; i < levels; ++i) {
    for (const MappedStage& stage_at : mapped.stages)
      mapped.units[i] = std::max(mapped.units[i], stage_at.units[i]);
    if (machine.by_axis) continue;
    mapped.units[i] = std::max(mapped.units[i], rooms.most_taken(i));
    if (i > 0) mapped.inside[i] = std::max(mapped.inside[i], rooms.most_processors(i - 1));
  }
  if (machine.by_axis && levels > 0) mapped.units.back() = static_cast<std::int64_t>(meshes.size());
  return mapped;
}

}  // namespace

std::string stages_axis(const Mesh& stage) {
  std::string name = "stages";
  while (stage.find(name)) name += '\'';
  return name;
}

Mesh mesh_of_stages(const Mesh& stage, std::int64_t stages) {
  Mesh mesh = stage;
  mesh.axes.insert(mesh.axes.begin(), {stages_axis(stage), stages});
  return mesh;
}

std::optional<MappedStages> map_stages(const std::vector<Mesh>& meshes, const Machine& machine) {
  const bool alike = std::all_of(meshes.begin(), meshes.end(),
                                 [&](const Mesh& mesh) { return mesh == meshes.front(); });
  return alike ? map_alike(meshes.front(), static_cast<std::int64_t>(meshes.size()), machine)
               : map_one_by_one(meshes, machine);
}

std::vector<GroupLevel> between(int from, int to, const Machine& machine,
                                const MappedStages& mapped) {
  const MappedStage& one = mapped.stages[static_cast<std::size_t>(from)];
  const MappedStage& other = mapped.stages[static_cast<std::size_t>(to)];
  for (std::size_t i = machine.levels.size(); i-- > 0;) {
    if (one.at[i] == other.at[i]) continue;
    const Level& level = machine.levels[i];
    const std::int64_t own = std::max(one.units[i], other.units[i]);
    const std::int64_t rooms = ceil_div(mapped.units[i], own);
    return {{&level, std::max<std::int64_t>(rooms, 2), mapped.units[i],
             std::min(level.sharers, mapped.inside[i])}};
  }
  return {};
}

std::string to_string(const std::vector<Mesh>& meshes, const Machine& machine,
                      const MappedStages& mapped) {
  const auto stages = static_cast<std::int64_t>(meshes.size());
  if (std::all_of(meshes.begin(), meshes.end(),
                  [&](const Mesh& mesh) { return mesh == meshes.front(); })) {
    const Mesh all = mesh_of_stages(meshes.front(), stages);
    return to_string(all, machine, map_mesh(all, machine).value());
  }
  std::string text;
  for (std::size_t first = 0, end = 0; first < meshes.size(); first = end) {
    while (end < meshes.size() && meshes[end] == meshes[first]) ++end;
    text += std::string(text.empty() ? "" : "; ") + (end == first + 1 ? "stage " : "stages ") +
            std::to_string(first) + (end == first + 1 ? "" : "-" + std::to_string(end - 1)) + ": " +
            to_string(meshes[first], machine, mapped.stages[first].mapping);
  }
  return text;
}

std::string begin_text(const MappedStage& stage_at, const Machine& machine) {
  std::string text;
  for (std::size_t i = machine.levels.size(); i-- > 0;)
    text +=
        (text.empty() ? "" : ", ") + machine.levels[i].name + " " + std::to_string(stage_at.at[i]);
  return text;
}

}  // namespace mtfc::predict
