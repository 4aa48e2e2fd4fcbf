// bert_pairs(FILE, vocab="vocab.txt"): pairs of runs of sentences for BERT's two losses (Devlin et
// al., "BERT", section 3.1 and A.2; create_pretraining_data.py). Documents are cut into chunks that
// fill a row; a chunk is split at random into A and B, and for one half of the rows B is replaced
// by sentences of another document, what was left of the chunk starting the next one.
#include <algorithm>

#include "data/args.h"
#include "data/check_input.h"
#include "data/order.h"
#include "data/table.h"
#include "data/text/lines.h"
#include "data/text/utf8.h"
#include "data/text/vocab_files.h"
#include "data/tokenizer_of.h"
#include "kernels/random.h"

namespace mtfc::runtime {
namespace {

struct Range {
  std::size_t begin = 0, end = 0;
  std::size_t size() const { return end - begin; }
};

/// Sentences as ids, and which of them make a document.
struct Corpus {
  std::vector<std::int32_t> ids;
  std::vector<std::size_t> ends;  // of each sentence, in `ids`
  std::vector<Range> documents;   // of sentences

  Range ids_of(Range sentences) const {
    return {sentences.begin == 0 ? 0 : ends[sentences.begin - 1], ends[sentences.end - 1]};
  }
};

/// The ids of one row, [CLS] a [SEP] b [SEP].
struct Pair {
  Range a, b;
  bool is_next = false;
};

/// Cuts the longer part at its end until both fit.
void cut_to_fit(Pair& pair, std::size_t most) {
  std::size_t a = pair.a.size(), b = pair.b.size();
  if (a + b <= most) return;
  const std::size_t half = most / 2;
  if (b <= half) {
    a = most - b;
  } else if (a <= half) {
    b = most - a;
  } else {
    a = most - half, b = half;
  }
  pair.a.end = pair.a.begin + a;
  pair.b.end = pair.b.begin + b;
}

/// Makes the pairs of documents `first` .. `last` - 1; sentences of others come from the first
/// `train` documents.
class PairMaker {
 public:
  PairMaker(const Corpus& corpus, std::size_t train, std::uint64_t key, Split split,
            std::size_t most)
      : corpus_(corpus), train_(train), key_(key), split_(split), most_(most) {}

  std::vector<Pair> make(std::size_t first, std::size_t last) {
    for (std::size_t d = first; d < last; ++d) {
      std::size_t sentence = corpus_.documents[d].begin;
      while (sentence < corpus_.documents[d].end) sentence = make_one(d, sentence);
    }
    return std::move(pairs_);
  }

 private:
  /// 0 .. n - 1, by chance.
  std::size_t below(std::size_t n) {
    const double chance = uniform(key_, split_ == Split::train ? 0 : 1, samples_++);
    return std::min(static_cast<std::size_t>(chance * static_cast<double>(n)), n - 1);
  }

  /// Sentences from `first` on, until they fill `tokens` or the document ends; at least one.
  Range chunk(std::size_t document, std::size_t first, std::size_t tokens) const {
    Range sentences{first, first + 1};
    while (sentences.end < corpus_.documents[document].end &&
           corpus_.ids_of(sentences).size() < tokens)
      ++sentences.end;
    return sentences;
  }

  /// A pair that begins with sentence `first`; returns the sentence that the next one begins with.
  std::size_t make_one(std::size_t document, std::size_t first) {
    const Range all = chunk(document, first, most_);
    const bool single = all.size() == 1;
    const Range a{first, single ? all.end : first + 1 + below(all.size() - 1)};
    const bool is_next = !single && below(2) == 0;
    Pair pair{corpus_.ids_of(a), {}, is_next};
    pair.b = corpus_.ids_of(is_next ? Range{a.end, all.end} : elsewhere(document, pair.a.size()));
    cut_to_fit(pair, most_);
    pairs_.push_back(pair);
    return is_next ? all.end : a.end;
  }

  Range elsewhere(std::size_t document, std::size_t used) {
    std::size_t other = below(document < train_ ? train_ - 1 : train_);
    if (document < train_ && other >= document) ++other;
    const Range sentences = corpus_.documents[other];
    const std::size_t first = sentences.begin + below(sentences.size());
    return chunk(other, first, most_ - std::min(used, most_));
  }

  const Corpus& corpus_;
  std::size_t train_;
  std::uint64_t key_;
  Split split_;
  std::size_t most_;  // tokens of both parts
  std::int64_t samples_ = 0;
  std::vector<Pair> pairs_;
};

struct Marks {
  std::int32_t start = 0, separator = 0;
};

class BertPairs final : public Source {
 public:
  BertPairs(std::string name, Corpus corpus, std::size_t train, Marks marks,
            std::unique_ptr<Tokenizer> tokenizer, std::int64_t seed)
      : name_(std::move(name)),
        corpus_(std::move(corpus)),
        train_(train),
        marks_(marks),
        tokenizer_(std::move(tokenizer)),
        seed_(seed),
        order_(seed, 0, 0) {}

  std::int64_t examples(Split split) const override { return order_.examples(split); }
  Tokenizer* tokenizer() override { return tokenizer_.get(); }

  Status accept(const InputSpec& input) override {
    const bool row = input.field == "tokens" || input.field == "types";
    if (!row && input.field != "is_next")
      return unknown_field(input, {"tokens", "types", "is_next"});
    if (input.dtype != DType::i32) return wrong_type(input, "whole numbers");
    if (input.extents.size() != (row ? 2 : 1))
      return Error{"`" + name_ + "." + input.field + "` has " +
                       (row ? "2 dimensions" : "1 dimension") +
                       " with that of the examples, but the input is `" + shape_text(input) + "`",
                   {},
                   input.name};
    if (row)
      if (Status fits = set_length(input); !fits) return fits;
    if (input.field == "tokens")
      return check_ids(input, tokenizer_->size(), "tokens in the vocabulary");
    return check_ids(input, 2, row ? "types" : "classes");
  }

  Status ready(const InputSpec& input, Split split) const override {
    if (length_ != 0) return check_batch(input, split, examples(split));
    return Error{
        "no input takes `" + name_ + ".tokens`, so the pairs have no length", {}, input.name};
  }

  Status fill(const InputSpec& input, const BatchIndex& batch, const Block& part,
              HostTensor& out) override {
    const bool is_row = input.field != "is_next";
    row_.resize(is_row ? static_cast<std::size_t>(length_) : 1);
    const auto first = row_.begin() + (is_row ? part.begin[1] : 0);
    const auto last = first + (is_row ? part.extents[1] : 1);
    auto* to = out.as<std::int32_t>();
    for (std::int64_t i = 0; i < part.extents[0]; ++i) {
      std::fill(row_.begin(), row_.end(), 0);
      if (const std::int64_t number = order_.example(batch, part.begin[0] + i); number >= 0)
        write(input.field, pairs_[static_cast<std::size_t>(number)]);
      to = std::copy(first, last, to);
    }
    return {};
  }

 private:
  static constexpr std::int64_t marks_of_row = 3;

  Status set_length(const InputSpec& input) {
    const std::int64_t length = input.extents[1];
    if (length_ == length) return {};
    if (length_ != 0)
      return Error{"all rows of `" + name_ + "` have one length; here are " +
                       std::to_string(length_) + " and " + std::to_string(length),
                   {},
                   input.name};
    if (length < marks_of_row + 2)
      return Error{"a row of `" + name_ + "` is [CLS] A [SEP] B [SEP], but the input is `" +
                       shape_text(input) + "`",
                   {"-D " + input.dims[1] + "=128"},
                   input.name};
    length_ = length;
    const std::uint64_t key = random_key(static_cast<std::uint64_t>(seed_), "data." + name_);
    const auto most = static_cast<std::size_t>(length - marks_of_row);
    pairs_ = PairMaker(corpus_, train_, key, Split::train, most).make(0, train_);
    const std::vector<Pair> eval =
        PairMaker(corpus_, train_, key, Split::eval, most).make(train_, corpus_.documents.size());
    order_ = ExampleOrder(seed_, static_cast<std::int64_t>(pairs_.size()),
                          static_cast<std::int64_t>(eval.size()));
    pairs_.insert(pairs_.end(), eval.begin(), eval.end());
    return {};
  }

  /// One example into row_, which is zero.
  void write(const std::string& field, const Pair& pair) {
    if (field == "is_next") row_[0] = pair.is_next;
    if (field == "tokens") write_tokens(pair, row_.data());
    if (field == "types") std::fill_n(row_.data() + 2 + pair.a.size(), pair.b.size() + 1, 1);
  }

  void write_tokens(const Pair& pair, std::int32_t* to) const {
    *to++ = marks_.start;
    for (const Range& part : {pair.a, pair.b}) {
      to = std::copy_n(corpus_.ids.begin() + static_cast<std::ptrdiff_t>(part.begin), part.size(),
                       to);
      *to++ = marks_.separator;
    }
  }

  std::string name_;
  Corpus corpus_;
  std::size_t train_;  // documents to train on
  Marks marks_;
  std::unique_ptr<Tokenizer> tokenizer_;
  std::int64_t seed_;
  std::int64_t length_ = 0;  // of a row; 0: no input asked for it yet
  std::vector<Pair> pairs_;  // of training, then of evaluation
  ExampleOrder order_;
  std::vector<std::int32_t> row_;  // kept for its memory
};

/// Adds a file: a sentence a line, empty lines between documents.
Status add_documents(const std::string& path, Tokenizer& tokenizer, Corpus& corpus) {
  const Result<std::string> text = read_text(path);
  if (!text) return text.error();
  Range document{corpus.ends.size(), corpus.ends.size()};
  const auto close = [&] {
    document.end = corpus.ends.size();
    if (document.size() > 0) corpus.documents.push_back(document);
    document.begin = document.end;
  };
  std::string_view rest = *text;
  for (std::int64_t number = 1; !rest.empty(); ++number) {
    const std::string_view line = take_line(rest);
    const std::size_t before = corpus.ids.size();
    if (Status encoded = tokenizer.encode(line, corpus.ids); !encoded)
      return Error{line_location(path, number) + ": " + encoded.error().message, {}, {}};
    if (corpus.ids.size() > before)
      corpus.ends.push_back(corpus.ids.size());
    else
      close();
  }
  close();
  return {};
}

Result<Marks> marks_of(const Tokenizer& tokenizer, const std::string& vocab) {
  for (const std::string_view mark : {"[CLS]", "[SEP]"})
    if (!tokenizer.find(mark))
      return Error{"`" + vocab + "` lacks `" + std::string(mark) + "`", {}, {}};
  if (tokenizer.find("[PAD]") != 0)
    return Error{"`[PAD]` must be the first token of `" + vocab + "`", {}, {}};
  return Marks{*tokenizer.find("[CLS]"), *tokenizer.find("[SEP]")};
}

}  // namespace

Result<std::unique_ptr<Source>> open_bert_pairs(const SourceSpec& spec, std::int64_t seed) {
  Args args(spec);
  const std::string path = args.path("file");
  const std::string vocab = args.path("vocab");
  const std::string eval = args.path("eval");
  const double holdout = args.number("holdout");
  if (Status read = args.finish(); !read) return read.error();
  Result<TokenTable> table = read_list(vocab, TokenTable::Kind::wordpiece);
  if (!table) return table.error();
  Result<std::unique_ptr<Tokenizer>> tokenizer = tokenizer_of(spec, std::move(*table));
  if (!tokenizer) return tokenizer.error();
  const Result<Marks> marks = marks_of(**tokenizer, vocab);
  if (!marks) return marks.error();

  Corpus corpus;
  if (Status added = add_documents(path, **tokenizer, corpus); !added) return added.error();
  const auto all = static_cast<std::int64_t>(corpus.documents.size());
  Result<std::int64_t> train = rows_for_training(all, holdout, spec.name);
  if (!train) return train.error();
  if (!eval.empty()) {
    train = all;
    if (Status added = add_documents(eval, **tokenizer, corpus); !added) return added.error();
  }
  if (*train < 2)
    return Error{"documents of `" + path + "` to train on: " + std::to_string(*train) +
                     "; pairs of sentences need two",
                 {"separate documents by an empty line"},
                 {}};
  return std::unique_ptr<Source>(std::make_unique<BertPairs>(spec.name, std::move(corpus),
                                                             static_cast<std::size_t>(*train),
                                                             *marks, std::move(*tokenizer), seed));
}

}  // namespace mtfc::runtime
