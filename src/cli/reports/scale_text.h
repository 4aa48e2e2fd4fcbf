// What `mtfc scale` prints and draws.
#pragma once
#include <string>

#include "cli/reports/scale_axis.h"
#include "cli/session/target.h"
#include "plot/scaling.h"
#include "predict/scaling.h"
#include "support/json.h"

namespace mtfc::cli {

/// A row for each size of the axis, 80 columns.
std::string scaling_table(const predict::Scaling& scaling, const std::string& axis);

/// `points`: [{size, processors, step_seconds, computation_seconds, communication_exposed_seconds,
/// communication_hidden_seconds, speedup, ideal, efficiency, mfu, memory, fits}].
JsonFields scaling_json(const predict::Scaling& scaling);

plot::ScalingChart scaling_chart(const predict::Scaling& scaling, const std::string& axis,
                                 const std::string& title);

}  // namespace mtfc::cli
