// What `mtfc diff` prints for people.
#pragma once
#include <string>

#include "cost/difference.h"

namespace mtfc::cli {

/// Figures of a processor, collectives and lines of the model; what is equal is left out.
std::string diff_text(const backends::Cost& a, const backends::Cost& b,
                      const backends::Difference& difference);

}  // namespace mtfc::cli
