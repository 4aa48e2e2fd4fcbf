// What the formatter must know beyond the tokens.
#pragma once
#include <cstdint>
#include <unordered_set>

#include "frontend/syntax/ast.h"
#include "frontend/syntax/tokens.h"

namespace mtfc::syntax {

/// Places (first bytes of tokens) with a role that the token alone does not show.
struct FormatMarks {
  std::unordered_set<std::uint32_t> items;     // where statements and settings begin
  std::unordered_set<std::uint32_t> apart;     // `[` after several names: param a, b [d]
  std::unordered_set<std::uint32_t> keywords;  // `in` of repeat
};
FormatMarks find_marks(const ast::File& file, const Tokens& tokens);

}  // namespace mtfc::syntax
