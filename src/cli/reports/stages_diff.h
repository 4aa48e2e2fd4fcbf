// What `mtfc diff` says of two layouts of which one or both have stages.
#pragma once
#include <string>

#include "cli/reports/costed.h"
#include "cost/difference.h"
#include "support/json.h"

namespace mtfc::cli {

/// In nothing that a cost says, stage by stage, do they differ.
bool same_stages(const Costed& a, const Costed& b);

/// For people: figures of the stages, which are one where a layout has none; collectives of one
/// processor; and the lines of the model, of all processors together.
std::string stages_diff_text(const Costed& a, const Costed& b,
                             const cost::CostDifference& difference);

}  // namespace mtfc::cli
