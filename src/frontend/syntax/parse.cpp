#include "frontend/syntax/parse.h"

#include "frontend/syntax/mistakes.h"
#include "frontend/syntax/nesting.h"
#include "frontend/syntax/recovery.h"
#include "frontend/syntax/text_check.h"
#include "frontend/syntax/tokens.h"
#include "support/check.h"

namespace mtfc {
namespace {

using namespace syntax;

/// The checks that come before the parser. False if it had better not run.
bool prepare(const SourceMap& sources, Tokens& tokens, Diagnostics& diagnostics) {
  remove_semicolons(sources, tokens, diagnostics);
  return check_nesting(tokens, diagnostics);
}

void report_mistakes(const SourceMap& sources, Tokens& tokens, Parser& parser,
                     const StopAtMistake& stop, Diagnostics& diagnostics, bool whole_file) {
  if (whole_file)
    Recovery(sources, tokens, parser, stop, diagnostics).report_all();
  else
    diagnostics.report(explain({sources, tokens, stop.failure(), 0}).diagnostic);
}

/// Parses `rule` and builds the tree from what it gives.
template <class RuleContext>
std::optional<ast::File> parse(const SourceMap& sources, FileId file, Diagnostics& diagnostics,
                               RuleContext* (Parser::*rule)()) {
  const std::size_t errors_before = diagnostics.errors();
  if (!check_text(sources, file, diagnostics)) return std::nullopt;
  Tokens tokens(sources.text(file), file);
  if (!prepare(sources, tokens, diagnostics)) return std::nullopt;
  Parser parser(&tokens.stream());
  const auto stop = std::make_shared<StopAtMistake>();
  parser.removeErrorListeners();
  parser.setErrorHandler(stop);
  RuleContext* tree = nullptr;
  try {
    tree = (parser.*rule)();
  } catch (const antlr4::ParseCancellationException&) {
  }
  if (!tree) {
    constexpr bool whole_file = std::is_same_v<RuleContext, Parser::FileContext>;
    report_mistakes(sources, tokens, parser, *stop, diagnostics, whole_file);
    MTFC_CHECK(diagnostics.errors() > errors_before, "parse failed without a diagnostic");
    return std::nullopt;
  }
  ast::File built = Builder(sources, file, diagnostics).build(tree);
  if (diagnostics.errors() > errors_before) return std::nullopt;
  return built;
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
