// How each kind of tokenizer is made; only make_tokenizer.cpp and the kinds themselves look here.
#pragma once
#include "data/text/tokenizer.h"

namespace mtfc::runtime {

/// Of a table whose pieces were checked one by one.
Result<std::unique_ptr<Tokenizer>> make_kind(TokenTable table);

/// Errors: a merge whose result is no piece, or that stands twice.
Result<std::unique_ptr<Tokenizer>> make_bpe(TokenTable table);
/// Errors: no [UNK].
Result<std::unique_ptr<Tokenizer>> make_wordpiece(TokenTable table);

/// "`é` (U+00E9) at byte 17 is not in the vocabulary"
Error not_in_vocabulary(const std::string& what, std::size_t byte);
Error not_utf8(std::size_t byte);

}  // namespace mtfc::runtime
