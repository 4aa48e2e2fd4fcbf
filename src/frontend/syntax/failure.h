// Where and in the middle of what the parser stopped.
#pragma once
#include <MtfParser.h>

#include <algorithm>
#include <vector>

namespace mtfc::syntax {

struct Failure {
  std::size_t at = 0;                 // number of the token that does not fit
  std::vector<std::size_t> rules;     // of MtfParser, the innermost first
  std::vector<std::size_t> expected;  // tokens that would fit, if the grammar tells
  std::size_t statement = 0;          // first token of the innermost statement around it

  bool expects(std::size_t type) const {
    return std::find(expected.begin(), expected.end(), type) != expected.end();
  }
};

/// Stops the parser at the first mistake and remembers it; nothing is printed, inserted or skipped.
class StopAtMistake : public antlr4::DefaultErrorStrategy {
 public:
  void reportError(antlr4::Parser* parser, const antlr4::RecognitionException& error) override;
  void recover(antlr4::Parser* parser, std::exception_ptr error) override;
  antlr4::Token* recoverInline(antlr4::Parser* parser) override;
  void sync(antlr4::Parser*) override {}

  const Failure& failure() const { return failure_; }

 private:
  void remember(antlr4::Parser* parser, const antlr4::Token* token);
  Failure failure_;
};

}  // namespace mtfc::syntax
