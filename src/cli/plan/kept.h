// The pipeline of a layout that `plan` keeps.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "cli/session/session.h"
#include "ir/layout.h"
#include "plan/price/models.h"
#include "plan/space/choice.h"

namespace mtfc::cli {

/// `mesh`: of the layout, if it has one. `microbatches`: numbers that are searched. Nothing:
/// reported.
std::optional<plan::Pipeline> kept_pipeline(Session& session, const Layout& layout,
                                            const std::optional<Mesh>& mesh,
                                            const plan::Models& models,
                                            const std::vector<std::int64_t>& microbatches);
/// Of all its stages, of which `mesh` is that of one if all have one.
std::int64_t processors_of(const plan::Pipeline& pipeline, const Mesh& mesh);

}  // namespace mtfc::cli
