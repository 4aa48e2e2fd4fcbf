// `hardware NAME { ... }` of a layout -> Machine.
#pragma once
#include <optional>

#include "ir/layout.h"
#include "messages/diagnostic.h"
#include "predict/machine.h"

namespace mtfc::predict {

/// Reports what is wrong with a description; nothing if something is.
/// A link with a `size` is a level of the network, the first one the innermost; one without names
/// an axis of the mesh. A description has links of one form.
std::optional<Machine> read_machine(const Hardware& hardware, const Mesh& mesh,
                                    Diagnostics& diagnostics);

}  // namespace mtfc::predict
