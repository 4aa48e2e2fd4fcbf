// --replicas=all: every processor computes everything itself, and must agree, bit for bit, with the
// processors that the types call equal and with the run in which they share.
#pragma once
#include <string>
#include <vector>

#include "backends/execute/executable.h"

namespace mtfc::backends {

/// Runs both in lock-step. What is fetched is that of the run with all replicas. Returns what
/// differs, naming the first instruction, or "".
std::string run_and_compare(runtime::Pool& pool, const Module& module, Executable& shared,
                            Executable& all, const runtime::Feeds& feeds,
                            std::vector<runtime::Fetched>& fetched);

}  // namespace mtfc::backends
