#include "frontend/syntax/tokens.h"

#include <MtfLexer.h>

namespace mtfc::syntax {

struct Tokens::Antlr {
  explicit Antlr(std::string_view text) : bytes(text), lexer(&bytes), stream(&lexer) {
    lexer.removeErrorListeners();  // no error can occur: UNKNOWN takes any character
    stream.fill();
  }
  ByteStream bytes;
  grammar::MtfLexer lexer;
  antlr4::CommonTokenStream stream;
};

Tokens::Tokens(std::string_view text, FileId file)
    : text_(text), file_(file), antlr_(std::make_unique<Antlr>(text)) {
  const auto end = static_cast<std::uint32_t>(text.size());
  for (const antlr4::Token* token : antlr_->stream.getTokens()) {
    if (token->getType() == antlr4::Token::EOF) {
      words_.push_back({antlr4::Token::EOF, end, end});
      break;
    }
    words_.push_back({token->getType(), static_cast<std::uint32_t>(token->getStartIndex()),
                      static_cast<std::uint32_t>(token->getStopIndex() + 1)});
  }
}

Tokens::~Tokens() = default;

std::size_t Tokens::type(std::size_t at) const {
  return at < words_.size() ? words_[at].type : antlr4::Token::EOF;
}

std::string_view Tokens::text(std::size_t at) const {
  return text_.substr(words_[at].begin, words_[at].end - words_[at].begin);
}

bool Tokens::begins_line(std::size_t at) const {
  const std::uint32_t from = at == 0 ? 0 : words_[at - 1].end;
  return at == 0 ||
         text_.substr(from, words_[at].begin - from).find('\n') != std::string_view::npos;
}

antlr4::CommonTokenStream& Tokens::stream() { return antlr_->stream; }

void Tokens::hide(std::size_t at) {
  auto* token = dynamic_cast<antlr4::CommonToken*>(antlr_->stream.get(at));
  token->setChannel(antlr4::Token::HIDDEN_CHANNEL);
}

}  // namespace mtfc::syntax
