#include "train/generate/text_codec.h"

#include <algorithm>
#include <charconv>

#include "data/text/make_tokenizer.h"
#include "sources/source_table.h"

namespace mtfc::runtime {
namespace {

Result<std::vector<std::int32_t>> ids_of_numbers(std::string_view text) {
  std::vector<std::int32_t> ids;
  for (std::size_t at = 0;;) {
    at = text.find_first_not_of(" \t", at);
    if (at == text.npos) return ids;
    const std::size_t end = std::min(text.find_first_of(" \t", at), text.size());
    std::int32_t id = 0;
    const auto read = std::from_chars(text.data() + at, text.data() + end, id);
    if (read.ec != std::errc{} || read.ptr != text.data() + end || id < 0)
      return Error{"`" + std::string(text.substr(at, end - at)) + "` is not an id",
                   {"this model's data has no text: a prompt is a list of ids, like \"3 14 15\""},
                   {}};
    ids.push_back(id);
    at = end;
  }
}

}  // namespace

Result<TextCodec> TextCodec::of_table(std::string_view table) {
  Result<TokenTable> recorded = parse_token_table(table);
  if (!recorded) return recorded.error();
  Result<std::unique_ptr<Tokenizer>> made = make_tokenizer(std::move(*recorded));
  if (!made) return made.error();
  TextCodec codec;
  codec.recorded_ = std::move(*made);
  codec.tokenizer_ = codec.recorded_.get();
  return codec;
}

Result<TextCodec> TextCodec::of_source(const SourceSpec& source, std::int64_t seed) {
  TextCodec codec;
  const SourceRow* row = find_source(source.function);
  if (row == nullptr || !row->reads_text) return codec;
  Result<std::unique_ptr<Source>> opened = open_source(source, seed);
  if (!opened) return opened.error();
  codec.source_ = std::move(*opened);
  codec.tokenizer_ = codec.source_->tokenizer();
  return codec;
}

Result<std::vector<std::int32_t>> TextCodec::encode(const std::string& text) const {
  if (tokenizer_ == nullptr) return ids_of_numbers(text);
  std::vector<std::int32_t> ids;
  if (Status encoded = tokenizer_->encode(text, ids); !encoded) return encoded.error();
  return ids;
}

void TextCodec::append(std::int32_t id, std::string& text) const {
  if (tokenizer_ != nullptr)
    tokenizer_->append(id, text);
  else
    text += (text.empty() ? "" : " ") + std::to_string(id);
}

std::optional<std::int32_t> TextCodec::end() const {
  if (tokenizer_ == nullptr || tokenizer_->table().reserved == 0) return std::nullopt;
  return tokenizer_->end();
}

}  // namespace mtfc::runtime
