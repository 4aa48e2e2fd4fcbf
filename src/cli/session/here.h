// The file in which `bench-hardware` keeps what it measured of this machine, and from which
// `hardware here` is read.
#pragma once
#include <string>

namespace mtfc::cli {

/// "$XDG_CONFIG_HOME/mtfc/here.layout", or below ~/.config; empty if the environment names neither.
std::string here_path();

}  // namespace mtfc::cli
