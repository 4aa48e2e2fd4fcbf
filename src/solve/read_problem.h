// A problem from the contest's JSON: {"problem": {"name", "nodes": {"intervals": [[from, to], ...],
// "costs", "usages": a list for each node}, "edges": {"nodes": [[a, b], ...], "costs": row-major},
// "usage_limit"}}.
#pragma once
#include <string_view>

#include "solve/problem.h"
#include "support/result.h"

namespace mtfc::solve {

/// Every list has the length that the others say, every edge joins nodes that exist, usages are not
/// negative. Costs of nodes, costs of edges and usages are refused if their sums could be more than
/// these, which are exact: sums of two costs in 64 bits, usages as doubles.
inline constexpr std::int64_t most_cost = 4'000'000'000'000'000'000;
inline constexpr std::int64_t most_usage = std::int64_t{1} << 53;

/// A limit that is not there is none.
runtime::Result<Problem> read_problem(std::string_view text);

}  // namespace mtfc::solve
