#include "train/generate/prompt_feeds.h"

#include "support/check.h"
#include "support/host_tensor.h"

namespace mtfc::runtime {
namespace {

using Content = PromptInput::Content;

/// The value at column `column` of a row with this prompt.
double fed_value(const PromptInput& input, const Ids& prompt, std::int64_t column) {
  const bool inside = column < static_cast<std::int64_t>(prompt.size());
  switch (input.content) {
    case Content::prompts:
      return inside ? prompt[static_cast<std::size_t>(column)] : 0;
    case Content::segments:
      return inside || input.generated ? 1 : 0;
    case Content::positions:
      return inside || input.generated ? static_cast<double>(column) : 0;
  }
  return 0;
}

}  // namespace

Feeds prompt_feeds(const std::vector<PromptInput>& inputs, const std::vector<Ids>& prompts,
                   std::int64_t rows_a_prompt) {
  Feeds feeds;
  for (const PromptInput& input : inputs) {
    HostTensor tensor = HostTensor::zeros(input.dtype, input.extents);
    const std::int64_t columns = input.extents.back();
    for (std::int64_t at = 0; at < tensor.elements(); ++at) {
      const auto number = static_cast<std::size_t>(at / columns / rows_a_prompt);
      const Ids& prompt = prompts[number < prompts.size() ? number : 0];
      MTFC_CHECK(
          input.content != Content::prompts || static_cast<std::int64_t>(prompt.size()) <= columns,
          "a prompt that does not fit");
      set_element(tensor, at, fed_value(input, prompt, at % columns));
    }
    feeds[input.name] = std::move(tensor);
  }
  return feeds;
}

}  // namespace mtfc::runtime
