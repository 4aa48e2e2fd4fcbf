// What a file that is there is, as far as its beginning or its ending tells: an output replaces
// only its own kind.
#pragma once
#include <filesystem>
#include <string>

#include "support/result.h"

namespace mtfc::runtime {

enum class OutputForm { log, archive, trace, svg, layout, text };

/// Whether what would be replaced, if there is anything, is of the output's form: it begins alike;
/// a text picture has lines or areas that are drawn of characters; a layout has no beginning of its
/// own, and replaces no model and nothing that begins like another form: that it is one, only those
/// who know the language can tell.
/// `name`: as the user gave it.
Status can_replace(const std::string& name, const std::filesystem::path& output, OutputForm form);

/// What to say where something else is there.
Error another_is_there(const std::string& name, OutputForm form);

}  // namespace mtfc::runtime
