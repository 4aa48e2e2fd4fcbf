// How commands end.
#pragma once
#include "support/exit_status.h"

namespace mtfc::cli {

/// Beside those of support/exit_status.h.
inline constexpr int exit_invalid = 1;      // the model or a layout
inline constexpr int exit_over_budget = 5;  // `cost --budget`; `plan`: nothing fits

struct StatusRow {
  const char *status, *meaning;
};
/// The manual page and docs/cli.md have these rows.
inline constexpr StatusRow status_rows[] = {
    {"0", "done; warnings included, unless `--strict`"},
    {"1",
     "the model or a layout is invalid, or what `-D`, `--set`, `--rules` and `--mesh` make of it; "
     "`fmt --check` found something to change"},
    {"2",
     "wrong usage: also a number that an option does not take, and a pass, tensor or machine that "
     "does not exist; a file that the command line names cannot be read"},
    {"3",
     "the run failed: data, files, a standard output that cannot be written, a checkpoint that "
     "does not fit, `verify` finds a difference"},
    {"4", "not enough memory, or the system gives no more threads"},
    {"5",
     "`cost`: a step costs more than `--budget` allows; `plan`: no layout, or no choice of "
     "strategies, that fits was found"},
    {"6", "a loss, a parameter or a state became infinite or not a number"},
    {"70", "a mistake of mtfc"},
    {"129, 130, 143", "ended by SIGHUP, SIGINT, SIGTERM"},
    {"141",
     "ended by SIGPIPE: nobody reads its standard output any more; `train`, `eval` and `generate` "
     "say so and return 3"}};

}  // namespace mtfc::cli
