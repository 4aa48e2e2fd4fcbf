// The tokenizer of a source that is opened.
#pragma once
#include <memory>

#include "data/data_plan.h"
#include "data/text/tokenizer.h"

namespace mtfc::runtime {

/// Of the table that the source found in its files, or of the one that a checkpoint recorded
/// (SourceSpec::tokens), which must be of the same kind: then the ids are those of the run,
/// whatever text is read.
Result<std::unique_ptr<Tokenizer>> tokenizer_of(const SourceSpec& spec, TokenTable found);

}  // namespace mtfc::runtime
