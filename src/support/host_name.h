// The name of this machine.
#pragma once
#include <string>

namespace mtfc {

/// As the system has it; "" if it has none.
std::string host_name();

}  // namespace mtfc
