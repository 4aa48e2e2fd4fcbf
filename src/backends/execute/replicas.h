// --replicas=all: every processor computes everything itself, and must agree, bit for bit, with the
// processors that the types call equal and with the run in which they share.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "backends/execute/executable.h"

namespace mtfc::backends {

/// Whether two runs of `count` elements have the same bits. Two elements that are not a number are
/// the same whatever their sign and payload: IEEE 754 (2019, 6.2.3) leaves open which operand's an
/// operation passes on, and compilers exchange the operands of a sum.
bool same_values(DType dtype, const std::byte* a, const std::byte* b, std::size_t count);

/// Runs both in lock-step. What is fetched is that of the run with all replicas. Returns what
/// differs, naming the first instruction, or ""; the rest of the program runs all the same.
std::string run_and_compare(runtime::Pool& pool, const Module& module, Executable& shared,
                            Executable& all, const runtime::Feeds& feeds,
                            std::vector<runtime::Fetched>& fetched);

}  // namespace mtfc::backends
