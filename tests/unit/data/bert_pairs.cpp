// bert_pairs: rows of two runs of sentences.
#include <catch2/catch.hpp>

#include "lab.h"

namespace data_bert_pairs_test {

using namespace mtfc;
using namespace mtfc::runtime;
using namespace mtfc::test;

namespace {

constexpr int documents = 40, sentences = 25;
constexpr int first_word = 5;  // after the marks

const std::string marks = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";

/// Every word stands once: its id tells its document, and ids follow each other.
struct Words {
  std::string vocab = marks, text;
  std::vector<int> document_of = std::vector<int>(first_word, -1);

  Words() {
    int word = 0;
    for (int d = 0; d < documents; ++d, text += "\n")
      for (int s = 0; s < sentences; ++s, text += "\n")
        for (int k = 0; k < 1 + (d * 7 + s * 5) % 9; ++k) {
          const std::string name = "w" + std::to_string(word++);
          vocab += name + "\n";
          text += (k ? " " : "") + name;
          document_of.push_back(d);
        }
  }
};

InputSpec next_input(std::int64_t batch) {
  return {"is_next", DType::i32, {batch}, {"batch"}, "s", "is_next", 2, "class"};
}

}  // namespace

TEST_CASE("bert_pairs: two runs of sentences, the second the first's continuation or not",
          "[data]") {
  const ScratchFolder folder;
  const Words words;
  write_file(folder / "vocab.txt", words.vocab);
  write_file(folder / "t", words.text);
  const auto spec =
      source_of("bert_pairs", {{"file", folder / "t"}, {"vocab", folder / "vocab.txt"}});
  constexpr int length = 48;
  const auto vocab = static_cast<std::int64_t>(words.document_of.size());
  const auto made = plan_of(spec, {ids_input("tokens", 1, length, vocab),
                                   ids_input("types", 1, length, 2), next_input(1)});
  auto feeder = Feeder::open(made);
  if (!feeder) FAIL(feeder.error().message);
  const std::int64_t rows = *feeder->steps_of(1);
  REQUIRE(rows > 100);
  int following = 0, full = 0;
  const auto check_row = [&](const Feeds& feeds, bool training) {
    const auto ids = ints_of(feeds, "tokens"), types = ints_of(feeds, "types");
    const bool is_next = ints_of(feeds, "is_next")[0] == 1;
    const auto middle = std::find(ids.begin(), ids.end(), 3);
    REQUIRE(middle != ids.end());
    const auto end = std::find(middle + 1, ids.end(), 3);
    REQUIRE(end != ids.end());
    CHECK(ids[0] == 2);
    const std::vector<int> a(ids.begin() + 1, middle), b(middle + 1, end);
    REQUIRE_FALSE(a.empty());
    REQUIRE_FALSE(b.empty());
    for (const auto& part : {a, b})
      for (std::size_t i = 0; i < part.size(); ++i) {
        CHECK(part[i] == part[0] + static_cast<int>(i));
        CHECK(words.document_of.at(std::size_t(part[i])) ==
              words.document_of.at(std::size_t(part[0])));
      }
    const int in = words.document_of[std::size_t(a[0])],
              other = words.document_of[std::size_t(b[0])];
    CHECK((in < 36) == training);
    CHECK((in == other) == is_next);
    if (!is_next) CHECK(other < 36);
    const bool whole = a.size() + b.size() < length - 3;  // nothing was cut
    if (is_next && whole) CHECK(b[0] == a.back() + 1);
    const auto second = middle + 1 - ids.begin(), used = end + 1 - ids.begin();
    for (std::ptrdiff_t i = 0; i < length; ++i) {
      CHECK(types[std::size_t(i)] == (i >= second && i < used ? 1 : 0));
      if (i >= used) CHECK(ids[std::size_t(i)] == 0);
    }
    following += is_next;
    full += used == length;
  };
  for (std::int64_t step = 0; step < rows; ++step) {
    Feeds feeds;
    REQUIRE(feeder->train(step, feeds));
    check_row(feeds, true);
  }
  CHECK(std::abs(static_cast<double>(following) / static_cast<double>(rows) - 0.5) < 0.1);
  CHECK(full > rows / 2);
  for (std::int64_t batch = 0; batch < feeder->eval_batches(); ++batch) {
    Feeds feeds;
    REQUIRE(feeder->eval(batch, feeds));
    check_row(feeds, false);
  }
  Feeds here, there;
  REQUIRE(feeder->train(3, here));
  REQUIRE(Feeder::open(made)->train(3, there));
  CHECK(ints_of(here, "tokens") == ints_of(there, "tokens"));
}

TEST_CASE("bert_pairs: what does not fit", "[data]") {
  const ScratchFolder folder;
  const auto refused = [&](const std::string& vocab, const std::string& text, std::int64_t length) {
    write_file(folder / "vocab.txt", vocab);
    write_file(folder / "t", text);
    const auto spec = source_of(
        "bert_pairs", {{"file", folder / "t"}, {"vocab", folder / "vocab.txt"}, {"holdout", 0.0}});
    std::string message = refusal_of(
        plan_of(spec, {ids_input("tokens", 1, length, 7), ids_input("types", 1, length, 2)}));
    const std::size_t at = message.find(folder.path());
    if (at != message.npos) message.erase(at, folder.path().size() + 1);
    return message;
  };
  const std::string vocab = marks + "a\nb\n";
  CHECK(refused(vocab, "a\n\nb\n", 5) == "accepted");
  CHECK(refused(vocab, "a\n\nb\n", 4) ==
        "a row of `s` is [CLS] A [SEP] B [SEP], but the input is `tokens[batch=1, length=4]` | -D "
        "length=128");
  CHECK(refused(vocab, "a\nb\n\n\n", 9) ==
        "documents of `t` to train on: 1; pairs of sentences need two | separate documents by an "
        "empty line");
  CHECK(refused(vocab, "", 9).starts_with("documents of `t` to train on: 0;"));
  CHECK(refused(vocab + "c\n", "a\n\nb\n", 9) ==
        "`s.tokens` does not fit: tokens in the vocabulary: 8, vocab = 7 | -D vocab=8");
  CHECK(refused("[UNK]\n[CLS]\n[SEP]\n[PAD]\n", "a\n\nb\n", 9) ==
        "`[PAD]` must be the first token of `vocab.txt`");
  CHECK(refused("[PAD]\n[UNK]\n[CLS]\n", "a\n\nb\n", 9) == "`vocab.txt` lacks `[SEP]`");
  CHECK(refused("[PAD]\n[CLS]\n", "a\n\nb\n", 9) == "the vocabulary lacks `[UNK]`");
  CHECK(refused(vocab, "a\n\nb\xff\n", 9) ==
        "`t` is not UTF-8 text: see line 3, byte 4 of the file");

  const auto spec = source_of(
      "bert_pairs", {{"file", folder / "t"}, {"vocab", folder / "vocab.txt"}, {"holdout", 0.0}});
  write_file(folder / "t", "a\n\nb\n");
  CHECK(refusal_of(plan_of(spec, {next_input(1)})) ==
        "no input takes `s.tokens`, so the pairs have no length");
  CHECK(refusal_of(plan_of(spec, {ids_input("tokens", 1, 9, 0), ids_input("types", 1, 8, 0)})) ==
        "all rows of `s` have one length; here are 9 and 8");
}

}  // namespace data_bert_pairs_test
