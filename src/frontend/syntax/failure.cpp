#include "frontend/syntax/failure.h"

#include <utility>

namespace mtfc::syntax {

void StopAtMistake::reportError(antlr4::Parser* parser, const antlr4::RecognitionException& error) {
  failure_.expected.clear();
  remember(parser, error.getOffendingToken());
}

void StopAtMistake::recover(antlr4::Parser*, std::exception_ptr) {
  throw antlr4::ParseCancellationException();
}

antlr4::Token* StopAtMistake::recoverInline(antlr4::Parser* parser) {
  failure_.expected.clear();
  for (const ssize_t type : parser->getExpectedTokens().toList())
    failure_.expected.push_back(static_cast<std::size_t>(type));
  remember(parser, parser->getCurrentToken());
  throw antlr4::ParseCancellationException();
}

void StopAtMistake::remember(antlr4::Parser* parser, const antlr4::Token* token) {
  using grammar::MtfParser;
  failure_.at = token->getTokenIndex();
  failure_.statement = failure_.at;
  failure_.rules.clear();
  bool found = false;
  for (antlr4::tree::ParseTree* tree = parser->getContext(); tree != nullptr; tree = tree->parent) {
    auto* context = dynamic_cast<antlr4::ParserRuleContext*>(tree);
    const std::size_t rule = context->getRuleIndex();
    // In a body that is open, the next statement has not begun: it is what failed.
    found |= failure_.rules.empty() && rule == MtfParser::RuleBody &&
             !failure_.expects(MtfParser::LBRACE);
    if (rule == MtfParser::RuleStatement && !std::exchange(found, true))
      failure_.statement = context->start->getTokenIndex();
    failure_.rules.push_back(rule);
  }
}

}  // namespace mtfc::syntax
