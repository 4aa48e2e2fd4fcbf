// BERT's WordPiece for cased vocabularies (Devlin et al., tokenization.py): words, punctuation and
// CJK characters are separated, then the longest piece from the left is taken.
#include <algorithm>

#include "data/text/pattern.h"
#include "data/text/tokenizer_kinds.h"
#include "support/utf8.h"

namespace mtfc::runtime {
namespace {

constexpr std::size_t longest_word = 200;  // in characters; longer ones are [UNK]

/// A sign that is a word for itself, or a run of others. Signs: Unicode's punctuation, all of
/// ASCII's, and the CJK ideographs.
std::string wordpiece_word_expression() {
  const std::string sign =
      R"(\p{P}$+<=>^`|~)"
      R"(\x{4e00}-\x{9fff}\x{3400}-\x{4dbf}\x{20000}-\x{2a6df}\x{2a700}-\x{2b73f}\x{2b740}-\x{2b81f})"
      R"(\x{2b820}-\x{2ceaf}\x{f900}-\x{faff}\x{2f800}-\x{2fa1f})";
  return "[" + sign + "]|[^" + sign + R"(\x09\x0a\x0d\p{Zs}\x{2028}\x{2029}]+)";
}

std::size_t characters(std::string_view word) {
  std::size_t count = 0;
  for (const char c : word) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return count;
}

class WordPiece final : public Tokenizer {
 public:
  WordPiece(TokenTable given, std::int32_t unknown)
      : Tokenizer(std::move(given)),
        unknown_(unknown),
        words_(wordpiece_word_expression()),
        controls_(R"([\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\p{Cf}\x{fffd}]+)") {}

  Status encode(std::string_view text, std::vector<std::int32_t>& ids) override {
    if (const auto wrong = first_invalid_utf8(text)) return not_utf8(*wrong);
    const std::string clean = without_controls(text);
    std::size_t from = 0;
    while (true) {
      const std::string_view word = words_.find(clean, from);
      if (word.empty()) return {};
      encode_word(word, ids);
      from = static_cast<std::size_t>(word.data() + word.size() - clean.data());
    }
  }

  void append(std::int32_t id, std::string& text) const override {
    const std::string_view part = piece(id);
    if (part.empty() || id == pad()) return;
    const bool further = part.size() > 2 && part.starts_with("##");
    if (!further && !text.empty()) text += ' ';
    text += further ? part.substr(2) : part;
  }

 private:
  std::string without_controls(std::string_view text) {
    std::string clean;
    std::size_t from = 0;
    while (true) {
      const std::string_view controls = controls_.find(text, from);
      if (controls.empty()) break;
      const auto at = static_cast<std::size_t>(controls.data() - text.data());
      clean += text.substr(from, at - from);
      from = at + controls.size();
    }
    return clean += text.substr(from);
  }

  void encode_word(std::string_view word, std::vector<std::int32_t>& ids) {
    const std::size_t before = ids.size();
    bool known = characters(word) <= longest_word;
    for (std::size_t begin = 0; known && begin < word.size();) {
      std::size_t end = word.size();
      std::optional<std::int32_t> id;
      for (; end > begin; --end) {  // ends inside a character are never found
        id = find_part(word.substr(begin, end - begin), begin > 0);
        if (id) break;
      }
      known = id.has_value();
      if (known) ids.push_back(*id);
      begin = end;
    }
    if (known) return;
    ids.resize(before);
    ids.push_back(unknown_);
  }

  std::optional<std::int32_t> find_part(std::string_view part, bool further) {
    if (!further) return find(part);
    part_.assign("##").append(part);
    return find(part_);
  }

  std::int32_t unknown_;
  Pattern words_, controls_;
  std::string part_;  // kept for its memory
};

}  // namespace

Result<std::unique_ptr<Tokenizer>> make_wordpiece(TokenTable table) {
  const auto position = std::find(table.pieces.begin(), table.pieces.end(), "[UNK]");
  if (position == table.pieces.end()) return Error{"the vocabulary lacks `[UNK]`", {}, {}};
  const auto unknown = table.reserved + static_cast<std::int32_t>(position - table.pieces.begin());
  return std::unique_ptr<Tokenizer>(std::make_unique<WordPiece>(std::move(table), unknown));
}

}  // namespace mtfc::runtime
