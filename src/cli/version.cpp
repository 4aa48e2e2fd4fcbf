#include "cli/version.h"

namespace mtfc::cli {

const char* const program_version = MTFC_VERSION;

}  // namespace mtfc::cli
