#include "frontend/syntax/recovery.h"

#include "frontend/syntax/mistakes.h"
#include "frontend/syntax/words.h"

namespace mtfc::syntax {

void Recovery::report_all() {
  const std::size_t before = diagnostics_.errors();
  while (diagnostics_.errors() < before + most) {
    const std::size_t type = tokens_.type(at_);
    if (type == antlr4::Token::EOF) break;
    if (type == Parser::RBRACE && !open_.empty()) {
      open_.pop_back();
      ++at_;
    } else if (diagnostics_.errors() > before && continues_broken_if(at_)) {
      // Its beginning was broken; the body is parsed like any other statements.
      while (tokens_.type(at_) != Parser::LBRACE) ++at_;
      open_.push_back(at_++);
    } else if (!parse_one(at_)) {
      report(at_);
    }
  }
}

/// Parses one statement and moves behind it; on failure the place stays.
bool Recovery::parse_one(std::size_t at) {
  parser_.reset();
  tokens_.stream().seek(at);
  try {
    builder_.look_at(parser_.statement());
    at_ = parser_.getCurrentToken()->getTokenIndex();
    return true;
  } catch (const antlr4::ParseCancellationException&) {
    return false;
  }
}

void Recovery::report(std::size_t start) {
  const Failure failure = stop_.failure();
  if (continues_broken_dim(start)) {
    at_ = next_start(start + 1);
    return;
  }
  Mistake mistake = explain({sources_, tokens_, failure, start});
  diagnostics_.report(std::move(mistake.diagnostic));
  std::size_t from = std::max(mistake.resume, start + 1);
  from = std::min(from, tokens_.size() - 1);
  const std::size_t next = next_start(skip_settings(failure, start, from));
  count_braces(start, next);
  // A body without its `{`: its `}` will come.
  bool opened = false;
  for (std::size_t i = failure.at; i < next; ++i) opened |= tokens_[i].type == Parser::LBRACE;
  if (failure.expects(Parser::LBRACE) && !opened) open_.push_back(failure.at);
  at_ = next;
}

void Recovery::count_braces(std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to; ++i) {
    if (tokens_[i].type == Parser::LBRACE) open_.push_back(i);
    if (tokens_[i].type == Parser::RBRACE && !open_.empty()) open_.pop_back();
  }
}

/// The next statement, or the `}` of an open block, or the end.
std::size_t Recovery::next_start(std::size_t from) const {
  std::size_t at = from;
  for (; tokens_.type(at) != antlr4::Token::EOF; ++at) {
    if (tokens_[at].type == Parser::RBRACE || looks_like_statement(tokens_, at)) break;
    // A body that opens here is parsed on its own, its first statement may follow on this line.
    const bool first_inside = at > from && tokens_[at - 1].type == Parser::LBRACE;
    if (first_inside && could_begin_statement(tokens_, at)) break;
  }
  return at;
}

/// Settings are no statements: after a mistake among them their closing brace is looked for.
std::size_t Recovery::skip_settings(const Failure& failure, std::size_t start,
                                    std::size_t from) const {
  bool settings = false;
  for (const std::size_t rule : failure.rules) settings |= rule == Parser::RuleSettings;
  if (!settings || (begins_statement(tokens_.type(from)) && looks_like_statement(tokens_, from)))
    return from;
  int depth = 0;
  for (std::size_t i = start; i < from; ++i) {
    if (tokens_[i].type == Parser::LBRACE) ++depth;
    if (tokens_[i].type == Parser::RBRACE) --depth;
  }
  std::size_t at = from;
  for (; tokens_.type(at) != antlr4::Token::EOF && depth > 0; ++at) {
    if (tokens_[at].type == Parser::LBRACE) ++depth;
    if (tokens_[at].type == Parser::RBRACE) --depth;
  }
  return at;
}

/// `dim a = 1 b = 2, c = 3`: after the complaint about the comma that is missing before `b`.
bool Recovery::continues_broken_dim(std::size_t at) const {
  return tokens_[at].type == Parser::COMMA && !diagnostics_.all().empty() &&
         diagnostics_.all().back().kind == DiagKind::missing_comma;
}

bool Recovery::continues_broken_if(std::size_t at) const {
  if (tokens_[at].type != Parser::ELSE || at == 0 || tokens_[at - 1].type != Parser::RBRACE)
    return false;
  if (tokens_.type(at + 1) == Parser::LBRACE) return true;
  if (tokens_.type(at + 1) != Parser::IF) return false;
  for (std::size_t i = at + 2; tokens_.type(i) != antlr4::Token::EOF; ++i) {
    if (tokens_[i].type == Parser::LBRACE) return true;
    if (looks_like_statement(tokens_, i)) return false;
  }
  return false;
}

void remove_semicolons(const SourceMap& sources, Tokens& tokens, Diagnostics& diagnostics) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i].type == Parser::UNKNOWN && tokens.text(i) == ";") found.push_back(i);
  if (found.empty()) return;
  Diagnostic d = diag(DiagKind::foreign_symbol, "statements are not separated by `;`")
                     .at(tokens.span(found.front()), "not needed");
  if (found.size() > 1)
    d.note("there are " + std::to_string(found.size()) + " of them in " +
           sources.path(tokens.file()));
  d.helps.push_back(
      "remove it: a new statement begins with a word such as `param`, or with `name =`");
  for (const std::size_t at : found) {
    d.fixes.push_back({tokens.span(at), " "});
    tokens.hide(at);
  }
  diagnostics.report(std::move(d));
}

}  // namespace mtfc::syntax
