// What `mtfc diff` prints for people.
#pragma once
#include <string>

#include "cost/difference.h"

namespace mtfc::cli {

/// Figures of a processor, collectives and lines of the model; what is equal is left out.
std::string diff_text(const cost::Cost& a, const cost::Cost& b,
                      const cost::CostDifference& difference);

/// A row of such a table: a figure under both layouts, and how much that is more or less.
std::string difference_row(const std::string& what, double a, double b, const char* unit);
/// The collectives and the lines alone; `of_lines`: what the lines' figures are of.
std::string origins_text(const cost::CostDifference& difference, const std::string& of_lines);

}  // namespace mtfc::cli
