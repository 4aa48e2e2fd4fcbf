// What pictures of several layouts must have in common to be compared.
#pragma once
#include <string>
#include <vector>

#include "cost/cost.h"

namespace mtfc::draw {

struct StepScale {
  std::vector<std::string> rules;  // each with the colour of its number
  double most_bytes = 0;           // of memory
};

/// Of all these steps: rules behind collectives, those that send most first.
StepScale scale_of(const std::vector<const cost::Cost*>& costs);

}  // namespace mtfc::draw
