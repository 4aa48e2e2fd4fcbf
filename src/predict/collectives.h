// Seconds that a collective takes: alpha-beta formulas, by topology and over several levels. They
// are written out in docs/hardware.md with their sources.
#pragma once
#include <vector>

#include "comm/exchange_spec.h"
#include "predict/mapping.h"

namespace mtfc::predict {

/// A group of processors within one level.
struct GroupLevel {
  const Level* level = nullptr;
  std::int64_t units = 1;  // of the group, in each unit of the next level
  std::int64_t span = 1;  // units from the first to behind the last, those of other groups included
  std::int64_t sharers = 1;  // processors of the mesh that have one link together
};

/// The levels within which processors that differ only on `axes` lie apart, from the inside.
std::vector<GroupLevel> group_levels(const std::vector<AxisId>& axes, const Machine& machine,
                                     const Mapping& mapping);

/// `bytes`: of a processor's operand; all_gather: of its result.
double collective_seconds(runtime::ExchangeSpec::Kind kind, double bytes,
                          const std::vector<GroupLevel>& group);

}  // namespace mtfc::predict
