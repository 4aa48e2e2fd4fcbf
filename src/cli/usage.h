// What `mtfc` alone prints.
#pragma once
#include <string>

namespace mtfc::cli {

std::string first_screen();

}  // namespace mtfc::cli
