// What a program makes again that others rather store.
#pragma once
#include "cost/work.h"
#include "ir/program.h"

namespace mtfc::plan {

/// The work of tiles, at least: their products, but for those that an instruction before has made
/// as well (scores of attention, on the way back). Where a shard has fewer tiles than are worth it,
/// scores are stored, and what is between products is fused in other ways. Other work is as it is.
cost::Work work_made_once(const Program& program, std::size_t instruction, const DimTable& dims,
                          cost::Work work);

}  // namespace mtfc::plan
