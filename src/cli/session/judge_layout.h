// The layouts of the command line.
#pragma once
#include <functional>
#include <string>

#include "cli/session/session.h"
#include "ir/model.h"
#include "layout/check_summary.h"

namespace mtfc::cli {

/// --rules beside files: reported, the command has ended with `status`.
bool refuses_rules(Session& session, int& status);

/// Every machine of a layout, whichever command reads one.
void check_hardware(SourceMap& sources, lowering::LayoutReport& report);

/// Judges one layout file, or what --rules and --mesh say if `layout_path` is empty. `status` says
/// how to end if the report is not ok; a file that cannot be read is reported by the session
/// itself.
/// `change` is done to the layout before it is judged.
/// `change_mesh` to the mesh that it is judged for, if there is one.
using ChangeLayout = std::function<void(Layout&)>;
using ChangeMesh = std::function<void(Mesh&)>;
lowering::LayoutReport judge_layout(Session& session, const Model& model,
                                    const std::string& layout_path, int& status,
                                    const ChangeLayout& change = {},
                                    const ChangeMesh& change_mesh = {});

}  // namespace mtfc::cli
