// Spellings that the printer and the parser of dumps share.
#pragma once
#include <string>
#include <string_view>

#include "ir/model.h"

namespace mtfc {

/// In double quotes, with \" \\ and \xHH escapes.
std::string quoted(std::string_view text);

/// Of the words of dumps: names of dimensions, axes, programs, keys.
constexpr bool is_word_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '\'' || c == '~' || c == '-';
}

/// "parameter", "state", "optimizer", "accumulator".
std::string_view name(Variable::Kind kind);

}  // namespace mtfc
