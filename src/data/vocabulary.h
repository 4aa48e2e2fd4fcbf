// Which tokens the lines of a source are made of, from its arguments `tokens`, `vocab`, `merges`.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "data/args.h"
#include "data/text/tokenizer.h"

namespace mtfc::runtime {

struct VocabularyChoice {
  TokenTable::Kind kind = TokenTable::Kind::words;
  std::string vocab, merges;  // files; empty: made from the text
};

VocabularyChoice take_vocabulary(Args& args);

/// Reads the files, or collects the distinct words or characters of `texts`. Ids 0 and 1 are taken:
/// 0 pads, 1 ends.
Result<TokenTable> open_vocabulary(const VocabularyChoice& choice,
                                   std::span<const std::string_view> texts);

}  // namespace mtfc::runtime
