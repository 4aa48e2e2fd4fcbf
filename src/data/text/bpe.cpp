// GPT-2's byte-pair tokens (Radford et al., "Language Models are Unsupervised Multitask Learners",
// section 2.2; encoder.py): the text is cut into words by a regular expression, and in each word
// the most urgent pair is merged, wherever it stands, until no pair is in the list.
#include <algorithm>
#include <array>
#include <limits>

#include "data/text/pattern.h"
#include "data/text/tokenizer_kinds.h"
#include "support/utf8.h"

namespace mtfc::runtime {
namespace {

/// GPT-2's expression, with white space (s) spelt out as Unicode's White_Space: PCRE2's own \s has
/// one character more (U+180E).
std::string bpe_word_expression() {
  const std::string s =
      R"(\x09-\x0d\x20\x85\xa0\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})";
  return R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\p{L}\p{N})" + s + "]+|[" + s +
         "]+(?![^" + s + "])|[" + s + "]+";
}

std::uint64_t pair_key(std::int32_t left, std::int32_t right) {
  return static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint32_t>(right);
}

struct Merge {
  std::int32_t rank = 0, piece = 0;
};
using Merges = std::unordered_map<std::uint64_t, Merge>;

/// Merges the pieces of one word. Kept between words for its memory.
class Merger {
 public:
  explicit Merger(const Merges& merges) : merges_(merges) {}

  void begin() { symbols_.clear(); }
  void add(std::int32_t piece) {
    const auto at = static_cast<std::int32_t>(symbols_.size());
    symbols_.push_back({piece, at - 1, at + 1});
  }

  /// Appends the merged pieces, each plus `offset`, to `ids`.
  void finish(std::int32_t offset, std::vector<std::int32_t>& ids) {
    symbols_.back().next = none;
    for (std::int32_t at = 0; symbols_[position(at)].next != none; ++at) push(at);
    while (!queue_.empty()) merge_most_urgent();
    for (std::int32_t at = 0; at != none; at = symbols_[position(at)].next)
      ids.push_back(symbols_[position(at)].piece + offset);
  }

 private:
  static constexpr std::int32_t none = -1;
  struct Symbol {
    std::int32_t piece = none;  // none: gone into the one before
    std::int32_t previous = none, next = none;
  };
  struct Candidate {
    std::int32_t rank = 0, at = 0;
    bool operator>(const Candidate& other) const {
      return rank != other.rank ? rank > other.rank : at > other.at;
    }
  };

  static std::size_t position(std::int32_t at) { return static_cast<std::size_t>(at); }

  /// The merge of a symbol with the next one, if there is one.
  const Merge* merge_at(std::int32_t at) const {
    const Symbol& left = symbols_[position(at)];
    if (left.piece == none || left.next == none) return nullptr;
    const auto found = merges_.find(pair_key(left.piece, symbols_[position(left.next)].piece));
    return found == merges_.end() ? nullptr : &found->second;
  }

  void push(std::int32_t at) {
    const Merge* merge = merge_at(at);
    if (merge == nullptr) return;
    queue_.push_back({merge->rank, at});
    std::push_heap(queue_.begin(), queue_.end(), std::greater<>());
  }

  Candidate pop() {
    std::pop_heap(queue_.begin(), queue_.end(), std::greater<>());
    const Candidate top = queue_.back();
    queue_.pop_back();
    return top;
  }

  /// Every place of the most urgent pair, from left to right. Pairs that arise wait until all are
  /// done, as in GPT-2, even if they are more urgent.
  void merge_most_urgent() {
    const std::int32_t rank = queue_.front().rank;
    changed_.clear();
    while (!queue_.empty() && queue_.front().rank == rank) {
      const std::int32_t at = pop().at;
      const Merge* merge = merge_at(at);
      if (merge == nullptr || merge->rank != rank) continue;  // changed since it was pushed
      Symbol& left = symbols_[position(at)];
      Symbol& right = symbols_[position(left.next)];
      left.piece = merge->piece;
      left.next = right.next;
      right.piece = none;
      if (left.next != none) symbols_[position(left.next)].previous = at;
      changed_.push_back(at);
    }
    for (const std::int32_t at : changed_) {
      if (symbols_[position(at)].previous != none) push(symbols_[position(at)].previous);
      push(at);
    }
  }

  const Merges& merges_;
  std::vector<Symbol> symbols_;
  std::vector<Candidate> queue_;  // a heap, the most urgent first
  std::vector<std::int32_t> changed_;
};

class Bpe final : public Tokenizer {
 public:
  Bpe(TokenTable given, Merges merges)
      : Tokenizer(std::move(given)),
        merges_(std::move(merges)),
        merger_(merges_),
        words_(bpe_word_expression()) {
    byte_piece_.fill(-1);
    for (std::size_t i = 0; i < table().pieces.size(); ++i)
      if (const std::string& piece = table().pieces[i]; piece.size() == 1)
        byte_piece_[static_cast<unsigned char>(piece[0])] = static_cast<std::int32_t>(i);
  }

  Status encode(std::string_view text, std::vector<std::int32_t>& ids) override {
    if (const auto wrong = first_invalid_utf8(text)) return not_utf8(*wrong);
    const std::size_t before = ids.size();
    for (std::size_t i = 0; i < text.size();) {
      const std::string_view word = words_.find(text, i);
      if (Status known = encode_word(word, i, ids); !known) {
        ids.resize(before);
        return known;
      }
      i += word.size();
    }
    return {};
  }

 private:
  /// Words that come often are merged once.
  Status encode_word(std::string_view word, std::size_t at, std::vector<std::int32_t>& ids) {
    const auto known = known_.find(word);
    if (known != known_.end()) {
      ids.insert(ids.end(), known->second.begin(), known->second.end());
      return {};
    }
    const std::size_t before = ids.size();
    if (Status merged = merge_word(word, at, ids); !merged) return merged;
    if (word.size() > longest_known) return {};
    if (known_.size() == most_known) known_.clear();
    known_.emplace(word, std::vector(ids.begin() + static_cast<std::ptrdiff_t>(before), ids.end()));
    return {};
  }

  Status merge_word(std::string_view word, std::size_t at, std::vector<std::int32_t>& ids) {
    if (word.size() > std::numeric_limits<std::int32_t>::max())
      return Error{"the word at byte " + std::to_string(at) + " is longer than 2 GiB", {}, {}};
    merger_.begin();
    for (std::size_t i = 0; i < word.size(); ++i) {
      const std::int32_t piece = byte_piece_[static_cast<unsigned char>(word[i])];
      if (piece < 0)
        return not_in_vocabulary("the byte " + std::to_string(int((unsigned char)word[i])), at + i);
      merger_.add(piece);
    }
    merger_.finish(table().reserved, ids);
    return {};
  }

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  static constexpr std::size_t longest_known = 64, most_known = 1 << 16;

  Merges merges_;
  Merger merger_;
  Pattern words_;
  std::array<std::int32_t, 256> byte_piece_{};  // -1: the vocabulary lacks it
  std::unordered_map<std::string, std::vector<std::int32_t>, Hash, std::equal_to<>> known_;
};

}  // namespace

Result<std::unique_ptr<Tokenizer>> make_bpe(TokenTable table) {
  const PieceNumbers positions = numbers_of(table.pieces);
  Merges merges;
  const auto pieces = static_cast<std::int64_t>(table.pieces.size());
  for (const auto& [left, right] : table.merges) {
    const std::string number = "merge " + std::to_string(merges.size() + 1);
    if (left < 0 || right < 0 || left >= pieces || right >= pieces)
      return Error{number + " names a token beyond the vocabulary", {}, {}};
    const std::string whole = table.pieces[std::size_t(left)] + table.pieces[std::size_t(right)];
    const auto position = positions.find(whole);
    if (position == positions.end())
      return Error{number + " gives no token of the vocabulary", {}, {}};
    const Merge merge{static_cast<std::int32_t>(merges.size()), position->second};
    if (!merges.emplace(pair_key(left, right), merge).second)
      return Error{number + " is listed twice", {}, {}};
  }
  return std::unique_ptr<Tokenizer>(std::make_unique<Bpe>(std::move(table), std::move(merges)));
}

}  // namespace mtfc::runtime
