// Spellings that the printer and the parser of dumps share.
#pragma once
#include <string>
#include <string_view>

#include "ir/model.h"

namespace mtfc {

/// The shortest decimal that reads back to the same double; "inf", "-inf", "nan".
std::string number_text(double value);
/// In double quotes, with \" \\ \n and \xHH escapes.
std::string quoted(std::string_view text);

/// "parameter", "state", "optimizer", "accumulator".
std::string_view name(Variable::Kind kind);

}  // namespace mtfc
