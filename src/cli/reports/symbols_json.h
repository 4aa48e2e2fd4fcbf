// The symbol table of a model for tools.
#pragma once
#include <string>

#include "frontend/elaborate/symbols.h"

namespace mtfc::cli {

/// A list of `{name, kind, declared, uses, implied, instances}`, in the order of the text.
std::string symbols_json(const mtfc::Symbols& symbols, const SourceMap& sources);

}  // namespace mtfc::cli
