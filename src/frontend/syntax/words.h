// Kinds of tokens, and how they are called in messages.
#pragma once
#include <string>

#include "frontend/syntax/tokens.h"

namespace mtfc::syntax {

/// `param`, `block` ...: the words that begin statements.
bool begins_statement(std::size_t type);
/// Any word that cannot be a name.
bool is_reserved(std::size_t type);
bool is_name(std::size_t type);
bool opens(std::size_t type);
bool closes(std::size_t type);
/// The bracket that closes `opening`.
std::size_t closer_of(std::size_t opening);
/// After this token an expression is complete, or may be.
bool ends_value(std::size_t type);
/// The token itself in backticks, or "a string", "a name" ... for those with many spellings.
std::string spelled(std::size_t type);
/// What stands at `at`: "`)`", "the reserved word `data`", "the end of the file".
std::string found(const Tokens& tokens, std::size_t at);
/// In backticks, cut if long.
std::string quoted(std::string_view text);

/// The first token of a statement by its looks: a keyword, or `name =`,
/// `name[...] =` and the like, unless the token before asks for more arguments.
bool could_begin_statement(const Tokens& tokens, std::size_t at);
/// The same, at the beginning of a line.
bool looks_like_statement(const Tokens& tokens, std::size_t at);

}  // namespace mtfc::syntax
