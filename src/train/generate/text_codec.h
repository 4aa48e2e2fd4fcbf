// Text to ids and back, as a data source of the model does it; ids as numbers where it has no text.
#pragma once
#include <memory>

#include "data/source.h"
#include "sources/source_spec.h"

namespace mtfc::runtime {

class TextCodec {
 public:
  /// By the token table (token_table_text) that a checkpoint recorded for the source.
  static Result<TextCodec> of_table(std::string_view table);
  /// By opening the source's files, if it reads text.
  static Result<TextCodec> of_source(const SourceSpec& source, std::int64_t seed);

  /// Appends nothing to end it. Numbers are separated by blanks.
  Result<std::vector<std::int32_t>> encode(const std::string& text) const;
  /// Appends the text of one id; a character may come in parts.
  void append(std::int32_t id, std::string& text) const;
  /// The id that ends a text in this source's rows; absent where they are not ended.
  std::optional<std::int32_t> end() const;

 private:
  std::unique_ptr<Source> source_;  // owns the tokenizer, unless it was recorded
  std::unique_ptr<Tokenizer> recorded_;
  Tokenizer* tokenizer_ = nullptr;
};

}  // namespace mtfc::runtime
