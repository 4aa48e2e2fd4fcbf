// What `generate` shows: text as it comes, results, what a token takes.
#pragma once
#include "support/json.h"
#include "train/generate/generate.h"
#include "train/generate/text_codec.h"

namespace mtfc::cli {

/// Text to a terminal or a file while it grows. A character is shown when it is whole; bytes that
/// are no UTF-8 become U+FFFD, and on a terminal so does what it would obey.
class TextStream {
 public:
  explicit TextStream(bool terminal) : terminal_(terminal) {}
  /// What can be shown of `more` after what came before.
  std::string add(std::string_view more);
  /// What is left.
  std::string end();

 private:
  std::string take(bool all);
  const bool terminal_;
  std::string open_;  // the beginning of a character
};

/// Ids as text; "U+FFFD" for bytes that are no UTF-8.
std::string shown(const runtime::TextCodec& coder, const runtime::Ids& ids, bool terminal);

/// [{"prompt":..,"text":..,"ids":[..],"ended":..,"beams":[..]}], a prompt each.
std::string generated_json(const runtime::TextCodec& coder, const std::vector<std::string>& prompts,
                           const runtime::GenerationResult& result, bool beams);
JsonFields json_timing(const runtime::GenerationResult& result);
/// "position 16: 0.52 ms per token" and so on, a line each.
std::string timing_table(const runtime::GenerationResult& result);

}  // namespace mtfc::cli
