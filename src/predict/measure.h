// What this machine does in a second, measured: a description like those of models/hardware.
#pragma once
#include <string>

#include "comm/network.h"
#include "kernels/pool.h"
#include "predict/machine.h"

namespace mtfc::predict {

/// Of the kernels that run programs here: products by float type, maps, copies, the shortest
/// kernel; the memory that each rank has; with several ranks gathers between them. All ranks
/// measure at once, as they compute at once, and the slowest counts. Every rank calls it, with the
/// same number of threads; takes some seconds.
Machine measure(runtime::Pool& pool, runtime::net::Network& network);

/// In the language of layouts: "hardware here {\n  chip ...\n}\n".
std::string description(const Machine& machine);

}  // namespace mtfc::predict
