// How `cost` and `diff` print the memory of a processor, for people.
#pragma once
#include <string>

#include "cost/cost.h"

namespace mtfc::cli {

/// The largest of what is alive where the most memory is in use, by line and role.
std::string peak_table(const cost::MemoryPeak& peak);

}  // namespace mtfc::cli
