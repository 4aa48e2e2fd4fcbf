// Which named values a program computes tile by tile, so that there is nothing to fetch.
#pragma once
#include <set>
#include <string>

#include "ir/model.h"
#include "ir/module.h"

namespace mtfc::backends {

/// Named values of the model's training graph that the module trained from it does not have, if
/// some of its instructions run tile by tile; else none. To fetch them would be to store them.
std::set<std::string> names_in_tiles(const Model& model, const Module& trained);

}  // namespace mtfc::backends
