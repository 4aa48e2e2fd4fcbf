// Repairs of mistyped names.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "messages/diagnostic.h"

namespace mtfc {

/// Says in a help which candidate is meant, and makes it a repair of the word at `span` if only one
/// can be; nothing, and false, if there is none.
bool propose(Diagnostic& d, Span span, std::string_view word,
             const std::vector<std::string>& candidates);

/// The same for names that the user gives: only what is mistyped is repaired.
bool propose_own(Diagnostic& d, Span span, std::string_view word,
                 const std::vector<std::string>& candidates);

}  // namespace mtfc
