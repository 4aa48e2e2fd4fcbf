#include "frontend/syntax/nesting.h"

#include "frontend/syntax/tree_builder.h"

namespace mtfc::syntax {
namespace {

/// The open brackets, and between them the `if`s whose `else` or body is still to come.
class Levels {
 public:
  void take(std::size_t type) {
    switch (type) {
      case Parser::LPAREN:
      case Parser::LBRACKET:
      case Parser::IF:
        open_.push_back(type);
        break;
      case Parser::LBRACE:  // an `if` that waits here was a statement: this is its body
        drop_ifs();
        open_.push_back(type);
        break;
      case Parser::ELSE:
        if (!open_.empty() && open_.back() == Parser::IF) open_.pop_back();
        break;
      case Parser::RPAREN:
      case Parser::RBRACKET:
      case Parser::RBRACE:
        drop_ifs();
        if (!open_.empty()) open_.pop_back();
        break;
      default:
        break;
    }
  }
  std::size_t depth() const { return open_.size(); }

 private:
  void drop_ifs() {
    while (!open_.empty() && open_.back() == Parser::IF) open_.pop_back();
  }
  std::vector<std::size_t> open_;
};

}  // namespace

bool check_nesting(const Tokens& tokens, Diagnostics& diagnostics) {
  Levels levels;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    levels.take(tokens[i].type);
    if (levels.depth() <= max_nesting) continue;
    diagnostics.report(diag(DiagKind::nesting_too_deep, "more than 256 levels of nesting")
                           .at(tokens.span(i), "level 257")
                           .help("give parts of it names of their own"));
    return false;
  }
  return true;
}

}  // namespace mtfc::syntax
