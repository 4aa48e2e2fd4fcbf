// Text -> syntax tree.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "frontend/syntax/ast.h"
#include "messages/diagnostic.h"

namespace mtfc {

/// Parses a whole .mtf file of `sources`. Syntax errors are reported; the result is then absent.
/// Never throws, never recurses deeper than 256 levels of the text's own nesting.
std::optional<ast::File> parse_model(const SourceMap& sources, FileId file,
                                     Diagnostics& diagnostics);

/// Parses one expression (the value of -D or --set). It becomes the only statement of the file:
/// an Assign to the name `value`.
std::optional<ast::File> parse_expression(const SourceMap& sources, FileId file,
                                          Diagnostics& diagnostics);

/// The canonical form of the text (`mtfc fmt`): same tokens, same comments, house spacing and
/// indentation. Idempotent. Absent (with diagnostics) if the text does not parse.
std::optional<std::string> format_model(const SourceMap& sources, FileId file,
                                        Diagnostics& diagnostics);

}  // namespace mtfc
