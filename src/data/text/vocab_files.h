// Files that hold vocabularies. Errors name the file and the line or byte.
#pragma once
#include <string>

#include "data/text/tokenizer.h"

namespace mtfc::runtime {

/// GPT-2's vocab.json (an object from token to id; the ids are 0 .. n - 1, each once) and
/// merges.txt (a pair a line; a first line `#version` is skipped).
Result<TokenTable> read_bpe(const std::string& vocab, const std::string& merges);

/// One token a line, the first of which has id 0; no reserved ids.
Result<TokenTable> read_list(const std::string& path, TokenTable::Kind kind);

}  // namespace mtfc::runtime
