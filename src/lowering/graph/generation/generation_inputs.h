// What a model needs to generate beside the ids: which inputs are fed, and with what.
#pragma once
#include <optional>
#include <vector>

#include "ir/model.h"
#include "messages/diagnostic.h"

namespace mtfc::lowering {

struct GenerationInput {
  enum class Content {
    prompts,    // ids
    segments,   // 1 up to the end of the prompt, then 0
    positions,  // from 0 up to the end of the prompt
  };
  const Input* input = nullptr;
  Content content{};
  bool generated = false;  // has the dimension that is generated over: goes on beyond the prompt
};

/// The input whose data source the ids come from; null if they come from none.
const Input* token_input(const Model& model);
/// The input whose data source the prompts come from.
const Input* prompt_input(const Model& model);
/// Whether the ids are made from something else than an input of their own.
bool computes_tokens(const Model& model);

/// All inputs but the ids that the logits depend on: [texts, n] or, without a dimension of texts,
/// [n]. Absent if there is one that nothing is known for; that is reported.
std::optional<std::vector<GenerationInput>> generation_inputs(const Model& model,
                                                              Diagnostics& diagnostics);

}  // namespace mtfc::lowering
