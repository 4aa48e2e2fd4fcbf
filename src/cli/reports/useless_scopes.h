// Scopes of a layout that a step is no better with (W423).
#pragma once
#include "cli/reports/costed.h"

namespace mtfc::cli {

/// Warns of those without which the step computes, holds and sends no more than `with` them: the
/// layout is compiled without each that the forward pass has no use for.
void warn_useless_scopes(Session& session, const Model& model, const Assignment& assignment,
                         const backends::Cost& with, Diagnostics& diagnostics);

}  // namespace mtfc::cli
