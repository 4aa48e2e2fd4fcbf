// What `generate` is to do: prompts as ids, feeds for what the model needs beside them.
#pragma once
#include "cli/coder.h"
#include "runtime/generate/generate.h"

namespace mtfc::cli {

/// --prompt and --prompts; one empty prompt if there is neither. Absent: told.
std::optional<std::vector<std::string>> read_prompts(Session& session);

/// The input whose data source the ids come from, or the prompts' own.
const Input* token_input(const Model& model);
const Input* prompt_input(const Model& model);

/// The ids that texts begin with, and the feeds of the model's inputs. Absent: told, exit_usage.
struct Prompts {
  std::vector<runtime::Ids> texts;
  runtime::Feeds inputs;
};
std::optional<Prompts> encode_prompts(Session& session, const Model& model,
                                      const std::vector<std::string>& prompts, const Coder& coder,
                                      std::int64_t rows_a_prompt);

}  // namespace mtfc::cli
