// The table of backends. The command line, its help and its errors read it.
#pragma once
#include <string_view>

#include "backends/backend.h"

namespace mtfc::backends {

/// In alphabetical order.
const std::vector<Backend>& backends();
/// Null if there is none so named.
const Backend* find_backend(std::string_view name);
/// The backend that takes this argument; null if none does.
const Backend* backend_of_argument(std::string_view argument);

// --- one file each, in emit/
Backend json();
Backend mpi();
Backend placement();

}  // namespace mtfc::backends
