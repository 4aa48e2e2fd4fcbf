#include "frontend/syntax/failure.h"

namespace mtfc::syntax {

void StopAtMistake::reportError(antlr4::Parser* parser, const antlr4::RecognitionException& error) {
  remember(parser, error.getOffendingToken());
}

void StopAtMistake::recover(antlr4::Parser*, std::exception_ptr) {
  throw antlr4::ParseCancellationException();
}

antlr4::Token* StopAtMistake::recoverInline(antlr4::Parser* parser) {
  remember(parser, parser->getCurrentToken());
  for (const ssize_t type : parser->getExpectedTokens().toList())
    failure_.expected.push_back(static_cast<std::size_t>(type));
  throw antlr4::ParseCancellationException();
}

void StopAtMistake::remember(antlr4::Parser* parser, const antlr4::Token* token) {
  failure_ = {};
  failure_.at = token->getTokenIndex();
  const antlr4::RuleContext* context = parser->getContext();
  while (context != nullptr) {
    failure_.rules.push_back(context->getRuleIndex());
    context = dynamic_cast<const antlr4::RuleContext*>(context->parent);
  }
}

}  // namespace mtfc::syntax
