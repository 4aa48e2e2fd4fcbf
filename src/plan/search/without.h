// What each entry of a layout buys: the layout without it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "plan/search/search.h"

namespace mtfc::plan {

struct Without {
  std::string entry;           // as entries_of has it
  std::optional<Price> price;  // nothing: it is not legal without it
  Choice choice;               // the layout without it
};

/// A price from few iterations in proportion to that of a layout that is known whole, whose own is
/// `few` from as many.
Price in_proportion(Price price, const Price& few, const Price& whole);

/// The entries of the best in order; micro-batches last, as "4 micro-batches"; with prices in
/// proportion to its own if `quickly`. Before that entries that change nothing are taken out of it
/// and, unless the plan is proved, those without which the best is faster and fits in `memory`
/// bytes: what is predicted for this may beat what was looked at before. What is left becomes the
/// plan's best, and is among those judged.
std::vector<Without> prune_best(Plan& plan, Pricer& pricer, double memory, bool quickly);

}  // namespace mtfc::plan
