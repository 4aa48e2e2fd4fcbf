// Text to ids and back. docs/data.md says what each kind does.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "support/result.h"

namespace mtfc::runtime {

/// All that a tokenizer is, as plain values: what checkpoints keep.
struct TokenTable {
  enum class Kind { chars, bytes, words, bpe, wordpiece };
  Kind kind = Kind::bytes;
  /// Ids before the first piece: 0, or 2 where 0 pads and 1 ends.
  std::int32_t reserved = 0;
  /// What the ids from `reserved` on stand for. chars: one code point each; words, wordpiece: as in
  /// the list (`##ing`); bpe: bytes, which need not be UTF-8 alone; bytes: empty.
  std::vector<std::string> pieces;
  /// bpe: places in `pieces` of what is merged, the most urgent first.
  std::vector<std::pair<std::int32_t, std::int32_t>> merges;
  bool operator==(const TokenTable&) const = default;
};

/// The numbers of pieces; views of them.
using PieceNumbers = std::unordered_map<std::string_view, std::int32_t>;
PieceNumbers numbers_of(const std::vector<std::string>& pieces);

/// Not for several threads at once: encoding remembers the words that it has met.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  const TokenTable& table() const { return table_; }
  /// Ids are 0 .. size() - 1.
  std::int64_t size() const;
  /// The id that fills rows up, and the one that ends a text; absent where the table has none.
  /// Ends: 1 if reserved, `<|endoftext|>` of bpe, `[SEP]` of wordpiece.
  std::optional<std::int32_t> pad() const;
  std::optional<std::int32_t> end() const;
  /// The id of a piece as it stands in the table ("[CLS]").
  std::optional<std::int32_t> find(std::string_view piece) const;

  /// Appends the ids of `text`, no end among them. What has no id is an Error that says at which
  /// byte of `text`; `ids` is then as it was.
  virtual Status encode(std::string_view text, std::vector<std::int32_t>& ids) = 0;
  /// Appends the text of one id to that of the ids before it, so that output can be streamed. A
  /// character may come in parts (bytes, bpe). Reserved ids and ids out of range give nothing.
  virtual void append(std::int32_t id, std::string& text) const;
  std::string decode(std::span<const std::int32_t> ids) const;

  Tokenizer(const Tokenizer&) = delete;
  Tokenizer& operator=(const Tokenizer&) = delete;
  std::size_t distinct() const { return positions_.size(); }  // pieces

 protected:
  explicit Tokenizer(TokenTable table);
  /// The piece of an id; empty for reserved ones, U+FFFD for those beyond the vocabulary.
  std::string_view piece(std::int32_t id) const;

 private:
  TokenTable table_;
  PieceNumbers positions_;  // of table_
};

/// The table as JSON text, and back; the text may come from an untrusted file.
std::string token_table_text(const TokenTable& table);
Result<TokenTable> parse_token_table(std::string_view text);

}  // namespace mtfc::runtime
