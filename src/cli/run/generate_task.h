// What `generate` is to do: prompts as ids, feeds for what the model needs beside them.
#pragma once
#include "cli/session/session.h"
#include "ir/model.h"
#include "train/generate/generate.h"
#include "train/generate/text_codec.h"

namespace mtfc::cli {

/// --prompt and --prompts; one empty prompt if there is neither. Absent: reported.
std::optional<std::vector<std::string>> read_prompts(Session& session);

/// Between text and the ids of this source: as the checkpoint recorded it, else by its files.
runtime::Result<runtime::TextCodec> open_codec(const Session& session, const Model& model,
                                               const std::string& source);

/// The ids that texts begin with, and the feeds of the model's inputs.
struct Prompts {
  std::vector<runtime::Ids> texts;
  runtime::Feeds inputs;
};
/// In rounds of so many prompts as the model has rows for. Absent: reported, exit_usage.
std::optional<std::vector<Prompts>> encode_prompts(Session& session, const Model& model,
                                                   const std::vector<std::string>& prompts,
                                                   const runtime::TextCodec& coder,
                                                   std::int64_t rows_a_prompt);

}  // namespace mtfc::cli
