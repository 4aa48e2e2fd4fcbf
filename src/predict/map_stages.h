// Where the stages of a pipeline lie on a machine, and what lies between two of them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "predict/collectives.h"
#include "predict/mapping.h"

namespace mtfc::predict {

struct MappedStage {
  /// Its axes on the levels. Of stages with one mesh also the axis of the stages, behind them.
  Mapping mapping;
  /// By level: units that its own axes take.
  std::vector<std::int64_t> units;
  /// By level: in which unit of the next level's unit it begins.
  std::vector<std::int64_t> at;
};

struct MappedStages {
  std::vector<MappedStage> stages;
  /// By level: units in use inside a unit of the next level, and processors in one of them; the
  /// most of all.
  std::vector<std::int64_t> units, inside;
};

/// What the axis of the stages is called beside those of a stage: "stages", or with primes behind.
std::string stages_axis(const Mesh& stage);
/// The mesh of stages that have one: its first axis are the stages.
Mesh mesh_of_stages(const Mesh& stage, std::int64_t stages);

/// Stages that have one mesh are the outermost axis of the machine (predict/mapping.h). Others lie
/// each as its mesh does alone. The largest come first, those of one size in their order; each goes
/// where there are first so many units free side by side on the outermost level that it uses. So
/// stages of powers of two within a node, and of whole nodes, fill a machine (Zheng et al., OSDI
/// 2022, appendix A). With links by axis stages are the outermost level. Nothing if there is no
/// room for one of them.
std::optional<MappedStages> map_stages(const std::vector<Mesh>& meshes, const Machine& machine);

/// The one level on which a message between two different stages travels: the innermost that
/// both lie on.
std::vector<GroupLevel> between(int from, int to, const Machine& machine,
                                const MappedStages& mapped);

/// How the stages lie, those of one mesh together: "stages 0-1: node (switch, 4 of 8): model=4;
/// stage 2: ..."
std::string to_string(const std::vector<Mesh>& meshes, const Machine& machine,
                      const MappedStages& mapped);
/// Where a stage begins: "net 1, node 4"; by level from the outside, the number of the unit.
std::string begin_text(const MappedStage& stage, const Machine& machine);

}  // namespace mtfc::predict
