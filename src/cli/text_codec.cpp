#include "cli/text_codec.h"

#include <charconv>

#include "cli/train_plan.h"

namespace mtfc::cli {
namespace {

using runtime::Error;
using runtime::Result;

const SourceSpec* source_named(const runtime::TrainPlan& plan, const std::string& name) {
  for (const SourceSpec& source : plan.sources)
    if (source.name == name) return &source;
  return nullptr;
}

Result<std::vector<std::int32_t>> numbers(std::string_view text) {
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

Result<Coder> Coder::open(const Session& session, const Model& model, const std::string& source) {
  Coder coder;
  if (session.checkpoint) {
    const auto& tables = session.checkpoint->record.tokens;
    if (const auto table = tables.find(source); table != tables.end()) {
      Result<runtime::TokenTable> recorded = runtime::parse_token_table(table->second);
      if (!recorded) return recorded.error();
      Result<std::unique_ptr<runtime::Tokenizer>> made =
          runtime::make_tokenizer(std::move(*recorded));
      if (!made) return made.error();
      coder.recorded_ = std::move(*made);
      coder.tokenizer_ = coder.recorded_.get();
      return coder;
    }
  }
  const runtime::TrainPlan plan = make_train_plan(model);
  const SourceSpec* spec = source_named(plan, source);
  if (spec == nullptr || spec->function == "npy" || spec->function == "gaussian") return coder;
  Result<std::unique_ptr<runtime::Source>> opened = runtime::open_source(*spec, plan.seed);
  if (!opened) return opened.error();
  coder.source_ = std::move(*opened);
  coder.tokenizer_ = coder.source_->tokenizer();
  return coder;
}

Result<std::vector<std::int32_t>> Coder::encode(const std::string& text) const {
  if (tokenizer_ == nullptr) return numbers(text);
  std::vector<std::int32_t> ids;
  if (runtime::Status encoded = tokenizer_->encode(text, ids); !encoded) return encoded.error();
  return ids;
}

void Coder::append(std::int32_t id, std::string& text) const {
  if (tokenizer_ != nullptr)
    tokenizer_->append(id, text);
  else
    text += (text.empty() ? "" : " ") + std::to_string(id);
}

std::optional<std::int32_t> Coder::end() const {
  if (tokenizer_ == nullptr || tokenizer_->table().reserved == 0) return std::nullopt;
  return tokenizer_->end();
}

}  // namespace mtfc::cli
