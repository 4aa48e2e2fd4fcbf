// What each entry of a layout buys: the layout without it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "plan/pricing.h"

namespace mtfc::plan {

struct Without {
  std::string entry;  // as entries_of has it; of scopes of blocks, which go together, the first
  std::optional<Price> price;  // nothing: it is not legal without it
};

/// The entries of a choice in order; micro-batches last, as "4 micro-batches".
std::vector<Without> without_each(const Choice& choice, Pricer& pricer);

}  // namespace mtfc::plan
