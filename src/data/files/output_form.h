// What a file that is there is, as far as its beginning or its ending tells: an output replaces
// only its own kind.
#pragma once
#include <filesystem>
#include <string>

#include "support/result.h"

namespace mtfc::runtime {

enum class OutputForm { log, archive, trace, svg, layout, text };

/// Whether what would be replaced, if there is anything, is of the output's form: it begins alike;
/// a layout or a text has no beginning of its own, and replaces no model, no layout (but by a
/// layout) and nothing that begins like another form. `name`: as the user gave it.
Status can_replace(const std::string& name, const std::filesystem::path& output, OutputForm form);

}  // namespace mtfc::runtime
