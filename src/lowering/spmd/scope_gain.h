// Scopes of a layout that only cost (W423).
#pragma once
#include <vector>

#include "ir/layout.h"
#include "ir/model.h"
#include "messages/diagnostic.h"

namespace mtfc::lowering {

/// A scope without which the layout is legal too, no value of the forward pass is larger, no
/// operation works more, and no more bytes are sent.
struct UselessScope {
  Assignment without;  // the layout without it
  Diagnostic warning;  // it costs and gains nothing, or changes nothing
};
/// What a step gains by it on the way back is for the caller to find out: gradients may be summed
/// elsewhere. `assignment` is legal. Of layouts that pad none: where they pad hangs on the scopes.
std::vector<UselessScope> useless_scopes(const Model& model, const Assignment& assignment);

}  // namespace mtfc::lowering
