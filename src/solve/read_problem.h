// A problem from the contest's JSON: {"problem": {"name", "nodes": {"intervals": [[from, to], ...],
// "costs", "usages": a list for each node}, "edges": {"nodes": [[a, b], ...], "costs": row-major},
// "usage_limit"}}.
#pragma once
#include <string_view>

#include "solve/problem.h"
#include "support/result.h"

namespace mtfc::solve {

/// Every list has the length that the others say, every edge joins nodes that exist, usages are not
/// negative. Costs and usages are refused if their sums, whatever the signs, could be more than
/// these: so all sums and differences that the solver forms of them as doubles are exact.
inline constexpr std::int64_t most_cost = std::int64_t{1} << 52;
inline constexpr std::int64_t most_usage = std::int64_t{1} << 53;

/// A limit that is not there is none.
runtime::Result<Problem> read_problem(std::string_view text);

}  // namespace mtfc::solve
