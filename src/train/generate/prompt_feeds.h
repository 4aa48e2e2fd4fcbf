// Prompts as feeds: for models that take them, their segments or their positions as inputs.
#pragma once
#include <string>
#include <vector>

#include "train/generate/decoder.h"

namespace mtfc::runtime {

struct PromptInput {
  enum class Content {
    prompts,    // ids, then 0
    segments,   // 1 up to the end of the prompt, then 0
    positions,  // from 0 up to the end of the prompt, then 0
  };
  std::string name;
  Content content{};
  DType dtype = DType::i32;
  std::vector<std::int64_t> extents;  // [texts, n] or [n]
  bool generated = false;             // as if the prompt filled the row
};

/// Each prompt fills `rows_a_prompt` adjacent rows; rows beyond all prompts repeat the first. No
/// prompt is longer than an input that takes its ids.
Feeds prompt_feeds(const std::vector<PromptInput>& inputs, const std::vector<Ids>& prompts,
                   std::int64_t rows_a_prompt);

}  // namespace mtfc::runtime
