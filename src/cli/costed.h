// The cost of a model's step under one layout, for commands that compare.
#pragma once
#include <functional>
#include <optional>

#include "cli/compile.h"
#include "cost/cost.h"

namespace mtfc::cli {

struct Costed {
  Mesh mesh;
  backends::Cost cost;
  bool step = false;  // a training step; else one run
};

/// Of the module's step, or where there is nothing to train of its `run`. Absent: reported, the
/// model computes nothing.
std::optional<Costed> costed(Session& session, const Module& module,
                             const backends::Detail& detail = {});

/// The layout of this path (none: --rules and --mesh) after `change`. Absent: reported; `status`
/// says how to end.
std::optional<Costed> costed(Session& session, const Model& model, const std::string& path,
                             const ChangeLayout& change, int& status);

}  // namespace mtfc::cli
