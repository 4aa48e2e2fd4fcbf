// Meshes that stages of one pipeline may have beside each other (Zheng et al., OSDI 2022, section
// 5.2: submeshes).
#pragma once
#include <cstdint>
#include <vector>

#include "plan/space/choice.h"
#include "predict/machine.h"

namespace mtfc::plan {

/// The numbers of processors that a stage may have: below 9 any; else powers of two within the
/// innermost level of the machine, and multiples of that. Always fewer than all.
std::vector<std::int64_t> submesh_sizes(std::int64_t processors, const predict::Machine& machine);

/// Of which stages may be made.
struct Submeshes {
  std::int64_t processors = 0;  // that stages have together; 0: there are none
  int most_stages = 0;
  int axes = 0;
  std::vector<std::int64_t> sizes = {};  // ascending
  std::vector<Mesh> meshes = {};         // of these, in their order; none where they are too many
};
Submeshes submeshes_of(std::int64_t processors, int axes, int most_stages,
                       const predict::Machine& machine);

/// Whether the dynamic program over stages, iterations and processors (plan/price/submesh_cut.h)
/// ends in seconds.
bool can_deal_out(const Submeshes& submeshes, std::int64_t iterations);

/// All ways to write these numbers as a product of so many factors, in order, 1 included; the axes
/// are named as those of other meshes (plan/space/meshes.h).
std::vector<Mesh> submeshes_of(const std::vector<std::int64_t>& sizes, int axes);

/// Those axes, all of size 1.
Mesh axes_of_submeshes(int axes);

/// Rules as a stage with this mesh has them: without axes of size 1. They mean the same in every
/// pipeline whose rules differ in these alone.
Choice on_submesh(Choice choice, const Mesh& mesh);

/// As the pipeline is cut; one whose stages all have one mesh after all is like any other.
Choice decided(Choice choice, const Pipeline& cut);

/// A pipeline of equal stages with its stages left open. `axes`: of all submeshes.
Choice with_open_stages(Choice choice, int axes);

}  // namespace mtfc::plan
