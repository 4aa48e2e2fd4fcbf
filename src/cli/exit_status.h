// How commands end.
#pragma once

namespace mtfc::cli {

enum : int {
  exit_done = 0,
  exit_invalid = 1,      // the model or a layout
  exit_usage = 2,        // the command line, or a file named there that cannot be read
  exit_failed = 3,       // the run
  exit_too_large = 4,    // does not fit in memory
  exit_over_budget = 5,  // `cost --budget`; `plan`: nothing fits
  exit_not_finite = 6,   // a loss or a variable is NaN or infinite
  exit_internal = 70,
};

}  // namespace mtfc::cli
