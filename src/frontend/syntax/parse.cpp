#include "frontend/syntax/parse.h"

#include "frontend/syntax/builder.h"
#include "frontend/syntax/nesting.h"
#include "frontend/syntax/text_check.h"
#include "frontend/syntax/tokens.h"

namespace mtfc {
namespace {

using namespace syntax;

/// Parses `rule` and builds the tree from what it gives.
template <class RuleContext>
std::optional<ast::File> parse(const SourceMap& sources, FileId file, Diagnostics& diagnostics,
                               RuleContext* (Parser::*rule)()) {
  const std::size_t errors_before = diagnostics.errors();
  if (!check_text(sources, file, diagnostics)) return std::nullopt;
  Tokens tokens(sources.text(file), file);
  if (!check_nesting(tokens, diagnostics)) return std::nullopt;
  Parser parser(&tokens.stream());
  parser.removeErrorListeners();
  parser.setErrorHandler(std::make_shared<antlr4::BailErrorStrategy>());
  try {
    ast::File built = Builder(sources, file, diagnostics).build((parser.*rule)());
    if (diagnostics.errors() > errors_before) return std::nullopt;
    return built;
  } catch (const antlr4::ParseCancellationException&) {
    const auto* token = parser.getCurrentToken();
    diagnostics.report(
        diag(DiagKind::syntax_error, "unexpected text").at(tokens.span(token->getTokenIndex())));
    return std::nullopt;
  }
}

}  // namespace

std::optional<ast::File> parse_model(const SourceMap& sources, FileId file,
                                     Diagnostics& diagnostics) {
  return parse(sources, file, diagnostics, &Parser::file);
}

std::optional<ast::File> parse_expression(const SourceMap& sources, FileId file,
                                          Diagnostics& diagnostics) {
  return parse(sources, file, diagnostics, &Parser::oneExpr);
}

}  // namespace mtfc
