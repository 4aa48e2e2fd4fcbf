#include "data/vocabulary.h"

#include <algorithm>
#include <set>

#include "data/text/next_word.h"
#include "data/text/utf8.h"
#include "data/text/vocab_files.h"

namespace mtfc::runtime {
namespace {

using VocabularyKind = TokenTable::Kind;

constexpr std::pair<std::string_view, VocabularyKind> vocabulary_kinds[] = {
    {"words", VocabularyKind::words},
    {"chars", VocabularyKind::chars},
    {"bytes", VocabularyKind::bytes},
    {"bpe", VocabularyKind::bpe}};

std::vector<std::string> distinct_words(std::span<const std::string_view> texts) {
  std::set<std::string_view> words;
  for (const std::string_view text : texts) {
    std::size_t at = 0;
    for (std::string_view word; !(word = next_word(text, at)).empty();) words.insert(word);
  }
  return {words.begin(), words.end()};
}

/// A list that begins with its own marks for padding and end has them as ids 0 and 1.
void drop_marks(std::vector<std::string>& pieces) {
  if (pieces.size() < 2 || pieces[0] != "<pad>") return;
  for (const std::string_view end : {"<eos>", "<EOS>", "</s>"})
    if (pieces[1] == end) {
      pieces.erase(pieces.begin(), pieces.begin() + 2);
      return;
    }
}

}  // namespace

VocabularyChoice take_vocabulary(Args& args) {
  VocabularyChoice choice;
  choice.vocab = args.path("vocab");
  choice.merges = args.path("merges");
  const std::string kind = args.word("tokens", choice.merges.empty() ? "words" : "bpe");
  const auto known = std::find_if(std::begin(vocabulary_kinds), std::end(vocabulary_kinds),
                                  [&](const auto& pair) { return pair.first == kind; });
  if (known == std::end(vocabulary_kinds)) {
    args.fail("`tokens` must be \"words\", \"chars\", \"bytes\" or \"bpe\", not \"" + kind + "\"");
    return choice;
  }
  choice.kind = known->second;
  if (choice.kind == VocabularyKind::bpe && (choice.vocab.empty() || choice.merges.empty()))
    args.fail("byte pairs need `vocab=\"vocab.json\"` and `merges=\"merges.txt\"`");
  if (choice.kind != VocabularyKind::bpe && !choice.merges.empty())
    args.fail("`merges` is for tokens=\"bpe\"");
  if (choice.kind == VocabularyKind::bytes && !choice.vocab.empty())
    args.fail("bytes need no `vocab`");
  return choice;
}

Result<TokenTable> open_vocabulary(const VocabularyChoice& choice,
                                   std::span<const std::string_view> texts) {
  TokenTable table;
  if (choice.kind == VocabularyKind::bpe) {
    Result<TokenTable> read = read_bpe(choice.vocab, choice.merges);
    if (!read) return read;
    table = std::move(*read);
  } else if (!choice.vocab.empty()) {
    Result<TokenTable> read = read_list(choice.vocab, choice.kind);
    if (!read) return read;
    table = std::move(*read);
    drop_marks(table.pieces);
  } else {
    table.kind = choice.kind;
    if (choice.kind == VocabularyKind::words) table.pieces = distinct_words(texts);
    if (choice.kind == VocabularyKind::chars) table.pieces = distinct_characters(texts);
  }
  table.reserved = 2;
  return table;
}

}  // namespace mtfc::runtime
