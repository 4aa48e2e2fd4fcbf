// Scopes of a layout that only cost (W423).
#pragma once
#include "ir/layout.h"
#include "ir/model.h"
#include "support/diagnostic.h"

namespace mtfc::lowering {

/// Warns of each `value` and `in` scope without which the layout is legal too, no value of the
/// forward pass is larger, no operation works more, and no more bytes are sent: it costs and gains
/// nothing, or changes nothing. A scope gains as soon as one shard or the work of one operation is
/// smaller with it; the backward pass is split as the forward pass is. `assignment` is legal.
/// Layouts that pad are not judged: where they pad hangs on the scopes.
void warn_useless_scopes(const Model& model, const Assignment& assignment,
                         Diagnostics& diagnostics);

}  // namespace mtfc::lowering
