// What the kernels take that run programs here, measured field by field (docs/hardware.md). All
// ranks call these together, in this order: what is known already is taken off.
#pragma once
#include "comm/network.h"
#include "kernels/pool.h"
#include "predict/machine.h"

namespace mtfc::predict {

/// Copies of arrays that grow: `hbm`, `cache`, `cache_bw`.
void measure_memory(runtime::Pool& pool, runtime::net::Network& network, Chip& chip);
/// Maps: `vector`, `step`, `run`, `random`, operations that are slow, `launch`.
void measure_maps(runtime::Pool& pool, runtime::net::Network& network, Chip& chip);
/// Sums and look-ups of short rows: `seek`.
void measure_rows(runtime::Pool& pool, runtime::net::Network& network, Chip& chip);
/// Products of several shapes: peaks by type, `call`, `turn`.
void measure_products(runtime::Pool& pool, runtime::net::Network& network, Chip& chip);

}  // namespace mtfc::predict
