// How programs end: mtfc, and those that it writes.
#pragma once

namespace mtfc {

/// Of commands these and more (cli/options/exit_status.h).
inline constexpr int exit_done = 0;
inline constexpr int exit_usage = 2;  // the command line, or a file named there that cannot be read
inline constexpr int exit_failed = 3;      // the run: data, files
inline constexpr int exit_too_large = 4;   // does not fit in memory
inline constexpr int exit_not_finite = 6;  // a loss or a variable is NaN or infinite
inline constexpr int exit_internal = 70;   // our own mistake
inline constexpr int exit_signal = 128;    // and its number: 130 for SIGINT, 143 for SIGTERM

}  // namespace mtfc
