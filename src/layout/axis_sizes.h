// Fields of a pipeline that are named after mesh axes: their sizes, stage by stage.
#pragma once
#include <vector>

#include "ir/layout.h"
#include "messages/diagnostic.h"

namespace mtfc::lowering {

/// The words that a field of a pipeline may have for a name; an axis so named has one size in all
/// stages.
inline const std::vector<std::string> pipeline_words = {"stages", "chunks", "schedule"};

/// Whether the field gives the sizes of an axis of the mesh.
bool is_axis(const LayoutPipeline::Field& field, const Mesh& mesh);

/// By stage; none if all stages have `mesh`, which is the layout's, and always that of the first.
/// Reports sizes that are none; that there are as many as stages, whoever counts these.
std::vector<Mesh> read_stage_meshes(const LayoutPipeline& pipeline, const Mesh& mesh,
                                    Diagnostics& diagnostics);

}  // namespace mtfc::lowering
