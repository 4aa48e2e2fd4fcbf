// A table, once checked, becomes a tokenizer of its kind.
#pragma once
#include <memory>

#include "data/text/tokenizer.h"

namespace mtfc::runtime {

/// An Error if the table contradicts itself: a piece twice, a merge that gives no piece, ...
Result<std::unique_ptr<Tokenizer>> make_tokenizer(TokenTable table);

}  // namespace mtfc::runtime
