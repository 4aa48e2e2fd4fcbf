#include "cli/options/version.h"

namespace mtfc::cli {

const char* const program_version = MTFC_VERSION;

}  // namespace mtfc::cli
