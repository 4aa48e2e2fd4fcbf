// Which mtfc this is.
#pragma once

namespace mtfc::cli {

extern const char* const program_version;  // "0.1.0"

}  // namespace mtfc::cli
