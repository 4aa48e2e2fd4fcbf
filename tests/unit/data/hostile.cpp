// Damaged files, by chance: each is refused with a message, or gives ids that fit the input.
#include <catch2/catch.hpp>

#include <random>

#include "data/text/make_tokenizer.h"
#include "data/text/tokenizer.h"
#include "lab.h"

namespace data_hostile_test {

using namespace mtfc;
using namespace mtfc::runtime;
using namespace mtfc::test;

namespace {

struct Files {
  std::vector<std::pair<std::string, std::string>> texts;  // name and what is in it
};

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

/// Changes, cuts, doubles or inserts a few bytes somewhere.
void damage(std::string& text, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
  const std::size_t at = below(text.size() + 1), size = below(9);
  switch (random() % 5) {
    case 0:
      if (at < text.size()) text[at] = static_cast<char>(random());
      break;
    case 1:
      text.resize(at);
      break;
    case 2:
      text.erase(at, size);
      break;
    case 3:
      text.insert(at, text.substr(below(text.size() + 1), size));
      break;
    default:
      for (std::size_t i = 0; i < size; ++i)
        text.insert(at, 1, "\0\n\t \"{}[]0-\xC3\xFF,#"[random() % 16]);
  }
}

/// Opens and reads; the feeder may refuse anything, but not fall over.
void try_out(const DataPlan& plan) {
  auto feeder = Feeder::open(plan);
  if (!feeder) {
    CHECK_FALSE(feeder.error().message.empty());
    return;
  }
  const auto check = [&](const Status& fed, const Feeds& feeds) {
    if (!fed) return;
    for (const InputSpec& input : plan.inputs)
      for (const int id : ints_of(feeds, input.name)) REQUIRE((id >= 0 && id < input.ids));
  };
  Feeds feeds;
  for (std::int64_t step = 0; step < 3; ++step) check(feeder->train(step, feeds), feeds);
  for (std::int64_t batch = 0; batch < std::min<std::int64_t>(feeder->eval_batches(), 3); ++batch)
    check(feeder->eval(batch, feeds), feeds);
  if (Tokenizer* tokenizer = feeder->tokenizer("s"))
    for (const std::int32_t id : {-1, 0, 1, 2, 300}) tokenizer->decode(std::vector{id});
}

}  // namespace

TEST_CASE("damaged files of ids and texts", "[data][hostile]") {
  const ScratchFolder folder;
  const std::string vocab = R"({"t": 0, "h": 1, "e": 2, "th": 3, "the": 4, "Ġ": 5, "Ġthe": 6})";
  const std::string merges = "#version: 0.2\nt h\nth e\nĠ the\n";
  const std::string list = "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\nb\n##c\né\n";
  const auto path = [&](const std::string& name) { return folder / name; };
  const std::vector<InputSpec> windows{ids_input("window", 2, 4, 300),
                                       ids_input("window_next", 2, 4, 300)};
  struct Case {
    SourceSpec spec;
    std::vector<InputSpec> inputs;
    Files files;
  };
  const std::string words = repeated("the ethe\nthé é a\n", 20);
  const std::vector<Case> cases{
      {source_of("chars", {{"file", path("a")}}), windows, {{{"a", words}}}},
      {source_of("bytes", {{"file", path("a")}}), windows, {{{"a", words}}}},
      {source_of("bpe", {{"file", path("a")}, {"vocab", path("v")}, {"merges", path("m")}}),
       windows,
       {{{"a", repeated("the the", 20)}, {"v", vocab}, {"m", merges}}}},
      {source_of("tokens", {{"file", path("a")}, {"eval", path("b")}}),
       windows,
       {{{"a", repeated(std::string("\x01\x00\x02\x01", 4), 20)},
         {"b", repeated(std::string("\x01\x00", 2), 20)}}}},
      {source_of("tsv", {{"file", path("a")}, {"too_long", std::string("trim")}}),
       {ids_input("source", 2, 5, 300), ids_input("target", 2, 4, 300)},
       {{{"a", repeated("a b\tc\nd\te f g\n", 12)}}}},
      {source_of("lines", {{"file", path("a")},
                           {"vocab", path("v")},
                           {"merges", path("m")},
                           {"pack", true},
                           {"too_long", std::string("skip")}}),
       {ids_input("tokens", 2, 9, 300), ids_input("segment", 2, 9, 300),
        ids_input("position", 2, 9, 300)},
       {{{"a", repeated("the\nthe the\n", 12)}, {"v", vocab}, {"m", merges}}}},
      {source_of("bert_pairs", {{"file", path("a")}, {"vocab", path("v")}}),
       {ids_input("tokens", 2, 9, 300), ids_input("types", 2, 9, 300)},
       {{{"a", repeated("a b\nac b\n\nb é\n\n", 12)}, {"v", list}}}}};
  std::mt19937 random(7);
  for (const Case& c : cases) {
    const DataPlan plan = plan_of(c.spec, c.inputs);
    for (const auto& [name, text] : c.files.texts) write_file(path(name), text);
    INFO(c.spec.function);
    CHECK(refusal_of(plan) == "accepted");
    for (int round = 0; round < 120; ++round) {
      const auto& [name, text] = c.files.texts[random() % c.files.texts.size()];
      std::string damaged = text;
      for (std::uint32_t i = 0; i <= random() % 3; ++i) damage(damaged, random);
      write_file(path(name), damaged);
      try_out(plan);
      write_file(path(name), text);
    }
  }
}

TEST_CASE("damaged token tables", "[data][hostile]") {
  const std::string text = token_table_text(
      {TokenTable::Kind::bpe, 2, {"a", "b", "ab", "\xff", "ab\xff"}, {{0, 1}, {2, 3}}});
  std::mt19937 random(11);
  for (int round = 0; round < 1000; ++round) {
    std::string damaged = text;
    for (std::uint32_t i = 0; i <= random() % 3; ++i) damage(damaged, random);
    const auto table = parse_token_table(damaged);
    if (!table) continue;
    const auto tokenizer = make_tokenizer(*table);
    if (!tokenizer) continue;
    std::vector<std::int32_t> ids;
    if (!(*tokenizer)->encode("abab a", ids)) continue;
    for (const std::int32_t id : ids) REQUIRE((id >= 0 && id < (*tokenizer)->size()));
  }
}

}  // namespace data_hostile_test
