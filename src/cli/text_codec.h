// Text to ids and back, as a data source of the model does it; ids as numbers where it has no text.
#pragma once
#include <memory>

#include "cli/session.h"
#include "data/source.h"
#include "ir/model.h"

namespace mtfc::cli {

class Coder {
 public:
  /// Of the named source: as the checkpoint recorded it, else by opening its files.
  static runtime::Result<Coder> open(const Session& session, const Model& model,
                                     const std::string& source);

  /// Appends nothing to end it. Numbers are separated by blanks.
  runtime::Result<std::vector<std::int32_t>> encode(const std::string& text) const;
  /// Appends the text of one id; a character may come in parts.
  void append(std::int32_t id, std::string& text) const;
  /// The id that ends a text in this source's rows; absent where they are not ended.
  std::optional<std::int32_t> end() const;
  bool is_text() const { return tokenizer_ != nullptr; }

 private:
  std::unique_ptr<runtime::Source> source_;  // owns the tokenizer
  std::unique_ptr<runtime::Tokenizer> recorded_;
  runtime::Tokenizer* tokenizer_ = nullptr;
};

}  // namespace mtfc::cli
