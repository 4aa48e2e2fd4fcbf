// What `generate` is to do: prompts as ids, feeds for what the model needs beside them.
#pragma once
#include "cli/text_codec.h"
#include "train/generate/generate.h"

namespace mtfc::cli {

/// --prompt and --prompts; one empty prompt if there is neither. Absent: told.
std::optional<std::vector<std::string>> read_prompts(Session& session);

/// The input whose data source the ids come from, or the prompts' own.
const Input* token_input(const Model& model);
const Input* prompt_input(const Model& model);

/// The ids that texts begin with, and the feeds of the model's inputs.
struct Prompts {
  std::vector<runtime::Ids> texts;
  runtime::Feeds inputs;
};
/// In rounds of so many prompts as the model has rows for. Absent: told, exit_usage.
std::optional<std::vector<Prompts>> encode_prompts(Session& session, const Model& model,
                                                   const std::vector<std::string>& prompts,
                                                   const Coder& coder, std::int64_t rows_a_prompt);

}  // namespace mtfc::cli
