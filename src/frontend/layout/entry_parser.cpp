#include "frontend/layout/entry_parser.h"

#include <algorithm>

#include "frontend/syntax/byte_stream.h"

namespace mtfc::layout {
class EntryParser::Parts {
  /// Ends the parse at the first mistake and remembers the token.
  class StopAtFirst final : public antlr4::BailErrorStrategy {
   public:
    std::size_t offending = 0;

    void recover(antlr4::Parser* parser, std::exception_ptr error) override {
      try {
        std::rethrow_exception(error);
      } catch (const antlr4::RecognitionException& e) {
        offending = e.getOffendingToken()->getTokenIndex();
      }
      antlr4::BailErrorStrategy::recover(parser, error);
    }
    antlr4::Token* recoverInline(antlr4::Parser* parser) override {
      offending = parser->getCurrentToken()->getTokenIndex();
      return antlr4::BailErrorStrategy::recoverInline(parser);
    }
  };

 public:
  explicit Parts(std::string_view text)
      : chars(text), lexer(&chars), tokens(&lexer), parser(&tokens) {
    lexer.removeErrorListeners();
    parser.removeErrorListeners();
    parser.setErrorHandler(strategy);
    tokens.fill();
  }
  syntax::ByteStream chars;
  LayoutLexer lexer;
  antlr4::CommonTokenStream tokens;
  LayoutParser parser;
  std::shared_ptr<StopAtFirst> strategy = std::make_shared<StopAtFirst>();
};

EntryParser::EntryParser(std::string_view text) : parts_(std::make_unique<Parts>(text)) {
  for (antlr4::Token* token : parts_->tokens.getTokens())
    if (token->getChannel() == antlr4::Token::DEFAULT_CHANNEL) tokens_.push_back(token);
}

EntryParser::~EntryParser() = default;

template <class Context>
Context* EntryParser::run(Context* (LayoutParser::*rule)()) {
  // `reset` frees the tree of the entry before.
  parts_->parser.reset();
  parts_->tokens.seek(token(position_).getTokenIndex());
  // The stream counts hidden tokens too; ours are found again by their number in it.
  const auto number = [&](std::size_t index) {
    const auto before = [](const antlr4::Token* t, std::size_t i) {
      return t->getTokenIndex() < i;
    };
    const auto found = std::lower_bound(tokens_.begin() + static_cast<ssize_t>(position_),
                                        tokens_.end(), index, before);
    return std::min(static_cast<std::size_t>(found - tokens_.begin()), last());
  };
  try {
    Context* tree = (parts_->parser.*rule)();
    position_ = number(parts_->parser.getCurrentToken()->getTokenIndex());
    return tree;
  } catch (const antlr4::ParseCancellationException&) {
    stop_ = {position_, number(parts_->strategy->offending)};
    return nullptr;
  }
}

LayoutParser::EntryContext* EntryParser::entry() { return run(&LayoutParser::entry); }
LayoutParser::MeshTextContext* EntryParser::mesh_text() { return run(&LayoutParser::meshText); }

}  // namespace mtfc::layout
