// What the passes work on where the stages of a pipeline have meshes of their own.
#pragma once
#include <string_view>
#include <vector>

#include "lowering/pipeline.h"

namespace mtfc::lowering {

/// One state, until stages of different meshes part: each then goes through the passes alone.
struct StageStates {
  State whole;                     // of all stages; as it was when they parted
  std::vector<State> stages = {};  // empty: they have not, or share one mesh

  /// What the next pass works on.
  std::vector<const State*> current() const;
};

/// The last pass that sees the graphs of all stages, where meshes differ.
inline constexpr std::string_view last_of_all_stages = "prepare-parameters";

/// Runs the pass if it is wanted, of those after that one on each stage of different meshes alone.
void run(const Pass& pass, StageStates& states);

}  // namespace mtfc::lowering
