// From the place where the parser stopped to a sentence that helps.
#pragma once
#include <optional>

#include "frontend/syntax/failure.h"
#include "frontend/syntax/tokens.h"
#include "messages/diagnostic.h"

namespace mtfc::syntax {

/// What is known when a statement does not parse.
struct Scene {
  const SourceMap& sources;
  const Tokens& tokens;
  Failure failure;
  std::size_t outer;              // first token of the statement that is being parsed
  std::size_t start;              // of the innermost statement inside it
  std::vector<std::size_t> open;  // brackets of the statement that are open at the failure

  Scene(const SourceMap& sources, const Tokens& tokens, Failure failure, std::size_t outer);
  std::size_t at() const { return failure.at; }
  std::size_t type(std::size_t token) const { return tokens.type(token); }
  std::size_t type() const { return tokens.type(at()); }
  /// The rule that was being parsed, or the one around it.
  std::size_t rule(std::size_t outwards = 0) const;
  bool inside(std::size_t rule) const;
  /// Where to point at a token; at the end of the text, right behind the last token.
  Span span(std::size_t token) const;
  Span behind(std::size_t token) const;
};

/// What to say, and the token from which to look for the next statement.
struct Mistake {
  Diagnostic diagnostic;
  std::size_t resume;
};

Mistake explain(const Scene& scene);

// The specific ones, each absent where it does not apply.
std::optional<Mistake> unclosed_bracket(const Scene& scene);  // mistakes_brackets.cpp
std::optional<Mistake> stray_bracket(const Scene& scene);
std::optional<Mistake> argument_after_list(const Scene& scene);  // mistakes_arguments.cpp
std::optional<Mistake> unknown_symbol(const Scene& scene);       // mistakes_symbols.cpp
std::optional<Mistake> foreign_operator(const Scene& scene);
std::optional<Mistake> malformed_number(const Scene& scene);
std::optional<Mistake> wrong_equals(const Scene& scene);
std::optional<Mistake> reserved_word(const Scene& scene);  // mistakes_words.cpp
std::optional<Mistake> no_statement(const Scene& scene);
Mistake unexpected(const Scene& scene);  // mistakes.cpp

}  // namespace mtfc::syntax
