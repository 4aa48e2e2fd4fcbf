// Prompts as ids, segments and positions of a batch.
#include "train/generate/prompt_feeds.h"

#include <catch2/catch.hpp>

namespace train_prompt_feeds_test {

using namespace mtfc;
using namespace mtfc::runtime;

namespace {

using Content = PromptInput::Content;

std::vector<std::int32_t> fed(const PromptInput& input, const std::vector<Ids>& prompts,
                              std::int64_t rows_a_prompt) {
  const Feeds feeds = prompt_feeds({input}, prompts, rows_a_prompt);
  const HostTensor& tensor = feeds.at(input.name);
  CHECK(tensor.extents == input.extents);
  const auto* values = tensor.as<std::int32_t>();
  return {values, values + tensor.elements()};
}

}  // namespace

TEST_CASE("each prompt fills its rows, and the first what is left") {
  const PromptInput input{"x", Content::prompts, DType::i32, {5, 3}, false};
  CHECK(fed(input, {{7, 8}, {9}}, 2) ==
        std::vector<std::int32_t>{7, 8, 0, 7, 8, 0, 9, 0, 0, 9, 0, 0, 7, 8, 0});
}

TEST_CASE("segments and positions end with the prompt, unless the row is generated") {
  PromptInput input{"x", Content::segments, DType::i32, {1, 3}, false};
  CHECK(fed(input, {{7, 8}}, 1) == std::vector<std::int32_t>{1, 1, 0});
  input.generated = true;
  CHECK(fed(input, {{7, 8}}, 1) == std::vector<std::int32_t>{1, 1, 1});
  input.content = Content::positions;
  CHECK(fed(input, {{7, 8}}, 1) == std::vector<std::int32_t>{0, 1, 2});
  input.generated = false;
  CHECK(fed(input, {{7, 8}}, 1) == std::vector<std::int32_t>{0, 1, 0});
}

TEST_CASE("without a dimension of texts there is one row") {
  const PromptInput input{"x", Content::prompts, DType::i32, {3}, false};
  CHECK(fed(input, {{7}}, 1) == std::vector<std::int32_t>{7, 0, 0});
}

}  // namespace train_prompt_feeds_test
