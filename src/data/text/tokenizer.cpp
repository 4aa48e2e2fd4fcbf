#include "data/text/tokenizer.h"

#include "support/utf8.h"

namespace mtfc::runtime {
namespace {

constexpr std::int32_t all_bytes = 256;

}  // namespace

PieceNumbers numbers_of(const std::vector<std::string>& pieces) {
  PieceNumbers numbers;
  numbers.reserve(pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i)
    numbers.emplace(pieces[i], static_cast<std::int32_t>(i));
  return numbers;
}

Tokenizer::Tokenizer(TokenTable table)
    : table_(std::move(table)), positions_(numbers_of(table_.pieces)) {}

std::int64_t Tokenizer::size() const {
  const bool bytes = table_.kind == TokenTable::Kind::bytes;
  return table_.reserved + (bytes ? all_bytes : static_cast<std::int64_t>(table_.pieces.size()));
}

std::optional<std::int32_t> Tokenizer::pad() const {
  if (table_.reserved > 0) return 0;
  return table_.kind == TokenTable::Kind::wordpiece ? find("[PAD]") : std::nullopt;
}

std::optional<std::int32_t> Tokenizer::end() const {
  if (table_.reserved > 1) return 1;
  if (table_.kind == TokenTable::Kind::bpe) return find("<|endoftext|>");
  return table_.kind == TokenTable::Kind::wordpiece ? find("[SEP]") : std::nullopt;
}

std::optional<std::int32_t> Tokenizer::find(std::string_view piece) const {
  const auto position = positions_.find(piece);
  if (position == positions_.end()) return std::nullopt;
  return table_.reserved + position->second;
}

std::string_view Tokenizer::piece(std::int32_t id) const {
  const std::int64_t position = std::int64_t{id} - table_.reserved;
  if (position < 0) return {};
  if (position >= static_cast<std::int64_t>(table_.pieces.size())) return replacement_character;
  return table_.pieces[static_cast<std::size_t>(position)];
}

void Tokenizer::append(std::int32_t id, std::string& text) const { text += piece(id); }

std::string Tokenizer::decode(std::span<const std::int32_t> ids) const {
  std::string text;
  for (const std::int32_t id : ids) append(id, text);
  return text;
}

}  // namespace mtfc::runtime
