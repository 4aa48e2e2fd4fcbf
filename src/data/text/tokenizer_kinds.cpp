// The simple kinds: characters, bytes, words.
#include "data/text/tokenizer_kinds.h"

#include "data/text/next_word.h"
#include "data/text/utf8.h"
#include "support/check.h"
#include "support/utf8.h"

namespace mtfc::runtime {
namespace {

class Chars final : public Tokenizer {
 public:
  explicit Chars(TokenTable given) : Tokenizer(std::move(given)) {
    for (std::size_t i = 0; i < table().pieces.size(); ++i) {
      const std::size_t point = decode_utf8(table().pieces[i], 0).value;
      if (point >= ids_.size()) ids_.resize(point + 1, -1);
      ids_[point] = table().reserved + static_cast<std::int32_t>(i);
    }
  }

  Status encode(std::string_view text, std::vector<std::int32_t>& ids) override {
    const std::size_t before = ids.size();
    for (std::size_t i = 0; i < text.size();) {
      const CodePoint next = decode_utf8(text, i);
      const bool known = next.valid && next.value < ids_.size();
      const std::int32_t id = known ? ids_[next.value] : -1;
      if (id < 0) {
        ids.resize(before);
        return next.valid ? not_in_vocabulary(character_name(next.value), i) : not_utf8(i);
      }
      ids.push_back(id);
      i += next.bytes;
    }
    return {};
  }

 private:
  std::vector<std::int32_t> ids_;  // by code point, up to the last that has one; -1: none
};

class ByteIds final : public Tokenizer {
 public:
  explicit ByteIds(TokenTable given) : Tokenizer(std::move(given)) {}

  Status encode(std::string_view text, std::vector<std::int32_t>& ids) override {
    for (const char c : text) ids.push_back(table().reserved + static_cast<unsigned char>(c));
    return {};
  }

  void append(std::int32_t id, std::string& text) const override {
    if (id >= table().reserved && id < size()) text += static_cast<char>(id - table().reserved);
  }
};

/// What a message shows of a word: about 40 bytes, whole characters.
std::string beginning(std::string_view word) {
  std::size_t end = std::min<std::size_t>(word.size(), 40);
  while (end < word.size() && (static_cast<unsigned char>(word[end]) & 0xC0) == 0x80) ++end;
  return std::string(word.substr(0, end));
}

class Words final : public Tokenizer {
 public:
  explicit Words(TokenTable given) : Tokenizer(std::move(given)), unknown_(find("<unk>")) {}

  Status encode(std::string_view text, std::vector<std::int32_t>& ids) override {
    const std::size_t before = ids.size();
    std::size_t at = 0;
    for (std::string_view word; !(word = next_word(text, at)).empty();) {
      const auto known = find(word);
      if (!known && !unknown_) {
        ids.resize(before);
        Error unknown = not_in_vocabulary("`" + beginning(word) + "`", at - word.size());
        unknown.helps = {"a token `<unk>` in the vocabulary represents such words"};
        return unknown;
      }
      ids.push_back(known ? *known : *unknown_);
    }
    return {};
  }

  void append(std::int32_t id, std::string& text) const override {
    const std::string_view word = piece(id);
    if (!word.empty() && !text.empty()) text += ' ';
    text += word;
  }

 private:
  std::optional<std::int32_t> unknown_;
};

}  // namespace

Error not_in_vocabulary(const std::string& what, std::size_t byte) {
  return {what + " at byte " + std::to_string(byte) + " is not in the vocabulary", {}, {}};
}

Error not_utf8(std::size_t byte) {
  return {"byte " + std::to_string(byte) + " is not UTF-8", {}, {}};
}

Result<std::unique_ptr<Tokenizer>> make_kind(TokenTable table) {
  switch (table.kind) {
    case TokenTable::Kind::chars:
      return std::unique_ptr<Tokenizer>(std::make_unique<Chars>(std::move(table)));
    case TokenTable::Kind::bytes:
      return std::unique_ptr<Tokenizer>(std::make_unique<ByteIds>(std::move(table)));
    case TokenTable::Kind::words:
      return std::unique_ptr<Tokenizer>(std::make_unique<Words>(std::move(table)));
    case TokenTable::Kind::bpe:
      return make_bpe(std::move(table));
    case TokenTable::Kind::wordpiece:
      return make_wordpiece(std::move(table));
  }
  MTFC_CHECK(false, "a kind of tokens without a tokenizer");
}

}  // namespace mtfc::runtime
