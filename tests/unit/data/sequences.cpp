// tsv and lines: ids, padding, packing, order; and files that are none.
#include <catch2/catch.hpp>

#include <set>

#include "lab.h"
#include "support/program_names.h"

namespace data_sequences_test {

using namespace mtfc;
using namespace mtfc::runtime;
using namespace mtfc::test;

namespace {

using Arg = std::pair<std::string, SourceSpec::Value>;

Feeder opened(const DataPlan& plan) {
  auto feeder = Feeder::open(plan);
  if (!feeder) FAIL(feeder.error().message);
  return std::move(*feeder);
}

std::vector<int> evaluated(Feeder& feeder, const std::string& input, std::int64_t batch = 0) {
  Feeds feeds;
  const auto fed = feeder.eval(batch, feeds);
  if (!fed) FAIL(fed.error().message);
  return ints_of(feeds, input);
}

}  // namespace

TEST_CASE("tsv: pairs of words, ended by 1 and filled up with 0", "[data]") {
  const ScratchFolder folder;
  write_file(folder / "t", "one two\t1 2\r\n\r\nthree\t3\n\xEF\xBB\xBFone\t1\n");
  write_file(folder / "e", "\xEF\xBB\xBFtwo three one\t2 3\nthree\t");
  const auto spec = source_of("tsv", {{"file", folder / "t"}, {"eval", folder / "e"}});
  // Sorted: 1 2 3 one three two and the word that begins with a mark in the middle of the file.
  auto feeder = opened(plan_of(spec, {ids_input("source", 3, 4, 9), ids_input("target", 3, 3, 9)}));
  CHECK(evaluated(feeder, "source") == std::vector{7, 6, 5, 1, 6, 1, 0, 0, 0, 0, 0, 0});
  CHECK(evaluated(feeder, "target") == std::vector{3, 4, 1, 1, 0, 0, 0, 0, 0});
  CHECK(evaluated(feeder, feed_names::examples) == std::vector{2});
  CHECK(*feeder.steps_of(1) == 1);
  CHECK(feeder.tokenizer("s")->decode(std::vector{7, 6, 5, 1, 0}) == "two three one");
  CHECK(refusal_of(plan_of(spec, {ids_input("source", 3, 4, 8)})) ==
        "`s.source` does not fit: tokens in the vocabulary, with pad and end: 9, vocab = 8 | -D "
        "vocab=9");
}

TEST_CASE("tsv: every example once an epoch, source and target together", "[data]") {
  const ScratchFolder folder;
  std::string text;
  for (int i = 0; i < 23; ++i) text += "s" + std::to_string(i) + "\tt" + std::to_string(i) + "\n";
  write_file(folder / "t", text);
  const auto spec = source_of("tsv", {{"file", folder / "t"}, {"holdout", 0.0}});
  const auto made = plan_of(spec, {ids_input("source", 5, 2, 0), ids_input("target", 5, 2, 0)});
  auto feeder = opened(made);
  CHECK(*feeder.steps_of(1) == 4);
  std::vector<std::vector<int>> epochs(2);
  for (std::int64_t step = 0; step < 8; ++step) {
    Feeds feeds;
    REQUIRE(feeder.train(step, feeds));
    const auto source = ints_of(feeds, "source"), target = ints_of(feeds, "target");
    for (std::size_t i = 0; i < source.size(); i += 2) {
      const std::string word = feeder.tokenizer("s")->decode(std::vector{source[i]});
      CHECK(feeder.tokenizer("s")->decode(std::vector{target[i]}) == "t" + word.substr(1));
      epochs[step < 4 ? 0 : 1].push_back(source[i]);
    }
  }
  for (const auto& epoch : epochs) CHECK(std::set<int>(epoch.begin(), epoch.end()).size() == 20);
  CHECK(epochs[0] != epochs[1]);
  // A later step needs nothing that came before it.
  Feeds late, fresh;
  REQUIRE(feeder.train(6, late));
  auto other = opened(made);
  REQUIRE(other.train(6, fresh));
  CHECK(ints_of(late, "source") == ints_of(fresh, "source"));
}

TEST_CASE("tsv: lines that are too long", "[data]") {
  const ScratchFolder folder;
  write_file(folder / "t", "a b\tc\na b c d\tc\na\tc c c\n");
  const auto with = [&](std::vector<Arg> more) {
    std::vector<Arg> args{{"file", folder / "t"}, {"eval", folder / "t"}};
    args.insert(args.end(), more.begin(), more.end());
    return plan_of(source_of("tsv", args),
                   {ids_input("source", 1, 3, 0), ids_input("target", 1, 3, 0)});
  };
  CHECK(refusal_of(with({})) ==
        "`" + (folder / "t") +
            "`, line 2: `source` has 5 tokens with its end, length = 3 | -D length=5 | or cut such "
            "lines with `too_long=\"trim\"`, or leave them out with \"skip\"");
  auto trim = opened(with({{"too_long", std::string("trim")}}));
  CHECK(trim.eval_batches() == 3);
  CHECK(evaluated(trim, "source", 1) == std::vector{2, 3, 4});
  CHECK(evaluated(trim, "target", 1) == std::vector{4, 1, 0});
  CHECK(evaluated(trim, "target", 2) == std::vector{4, 4, 4});
  auto skip = opened(with({{"too_long", std::string("skip")}}));
  CHECK(skip.eval_batches() == 1);
  CHECK(evaluated(skip, "source") == std::vector{2, 3, 1});
  CHECK(refusal_of(with({{"too_long", std::string("cut")}})) ==
        "`tsv`: `too_long` must be \"error\", \"trim\" or \"skip\", not \"cut\"");
}

TEST_CASE("tokens of lines: characters, bytes, byte pairs, lists", "[data]") {
  const ScratchFolder folder;
  write_file(folder / "t", "bab\n");
  const auto ids = [&](std::vector<Arg> more) {
    std::vector<Arg> args{{"file", folder / "t"}, {"eval", folder / "t"}};
    args.insert(args.end(), more.begin(), more.end());
    const auto made = plan_of(source_of("lines", args), {ids_input("tokens", 1, 4, 0)});
    auto feeder = Feeder::open(made);
    if (!feeder) {
      UNSCOPED_INFO(feeder.error().message);
      return std::vector<int>{};
    }
    return evaluated(*feeder, "tokens");
  };
  const auto named = [](const std::string& kind) { return Arg{"tokens", kind}; };
  CHECK(ids({}) == std::vector{2, 1, 0, 0});
  CHECK(ids({named("chars")}) == std::vector{3, 2, 3, 1});
  CHECK(ids({named("bytes")}) == std::vector{100, 99, 100, 1});
  write_file(folder / "v.json", R"({"a": 0, "b": 1, "ab": 2})");
  write_file(folder / "m.txt", "a b\n");
  CHECK(ids({{"vocab", folder / "v.json"}, {"merges", folder / "m.txt"}}) ==
        std::vector{3, 4, 1, 0});
  write_file(folder / "list", "x\nbab\n");
  CHECK(ids({{"vocab", folder / "list"}}) == std::vector{3, 1, 0, 0});
  write_file(folder / "list", "<pad>\n</s>\nx\nbab\n");
  CHECK(ids({{"vocab", folder / "list"}}) == std::vector{3, 1, 0, 0});
  write_file(folder / "list", "<unk>\nx\n");
  CHECK(ids({{"vocab", folder / "list"}}) == std::vector{2, 1, 0, 0});

  const auto refused = [&](std::vector<Arg> args) {
    args.emplace_back("file", folder / "t");
    return refusal_of(plan_of(source_of("lines", args), {ids_input("tokens", 1, 4, 0)}));
  };
  write_file(folder / "list", "x\n");
  CHECK(refused({{"vocab", folder / "list"}}) ==
        "`" + (folder / "t") +
            "`, line 1: `bab` at byte 0 is not in the vocabulary | a token `<unk>` in the "
            "vocabulary represents such words");
  CHECK(refused({named("letters")}) ==
        "`lines`: `tokens` must be \"words\", \"chars\", \"bytes\" or \"bpe\", not \"letters\"");
  CHECK(refused({named("bpe")}) ==
        "`lines`: byte pairs need `vocab=\"vocab.json\"` and `merges=\"merges.txt\"`");
  CHECK(refused({named("bytes"), {"vocab", folder / "list"}}) == "`lines`: bytes need no `vocab`");
  CHECK(refused({named("words"), {"merges", folder / "m.txt"}}) ==
        "`lines`: `merges` is for tokens=\"bpe\"");
}

TEST_CASE("lines, packed: whole examples share a row, in the file's order", "[data]") {
  const ScratchFolder folder;
  // With their ends 3, 2, 2, 5, 2 and 8 tokens; rows have 6 places.
  write_file(folder / "t", "a a\nb\nc\nd d d d\ne\nf f f f f f f\n");
  const auto plan = [&](const std::string& rule, std::int64_t segments) {
    const auto spec = source_of(
        "lines",
        {{"file", folder / "t"}, {"eval", folder / "t"}, {"pack", true}, {"too_long", rule}});
    return plan_of(spec, {ids_input("tokens", 4, 6, 8), ids_input("segment", 4, 6, segments),
                          ids_input("position", 4, 6, 6)});
  };
  auto feeder = opened(plan("trim", 3));
  CHECK(feeder.eval_batches() == 2);
  CHECK(evaluated(feeder, "tokens") == std::vector{2, 2, 1, 3, 1, 0,  //
                                                   4, 1, 0, 0, 0, 0,  //
                                                   5, 5, 5, 5, 1, 0,  //
                                                   6, 1, 0, 0, 0, 0});
  CHECK(evaluated(feeder, "segment") == std::vector{1, 1, 1, 2, 2, 0,  //
                                                    1, 1, 0, 0, 0, 0,  //
                                                    1, 1, 1, 1, 1, 0,  //
                                                    1, 1, 0, 0, 0, 0});
  CHECK(evaluated(feeder, "position") == std::vector{0, 1, 2, 0, 1, 0,  //
                                                     0, 1, 0, 0, 0, 0,  //
                                                     0, 1, 2, 3, 4, 0,  //
                                                     0, 1, 0, 0, 0, 0});
  CHECK(evaluated(feeder, feed_names::examples, 1) == std::vector{1});
  std::vector<int> last(24, 0);
  std::fill_n(last.begin(), 6, 7);
  CHECK(evaluated(feeder, "tokens", 1) == last);
  std::fill_n(last.begin(), 6, 1);
  CHECK(evaluated(feeder, "segment", 1) == last);
  CHECK(opened(plan("skip", 3)).eval_batches() == 1);
  CHECK(refusal_of(plan("skip", 2)) ==
        "`s.segment` does not fit: segments in a row, with that of padding: 3, vocab = 2 | -D "
        "vocab=3");
  CHECK(refusal_of(plan("error", 3)).ends_with("or leave them out with \"skip\""));
}

TEST_CASE("tsv, packed: an example fits with both of its sides", "[data]") {
  const ScratchFolder folder;
  write_file(folder / "t", "a\tx x x\nb b\ty\nc\tz z z\n");
  const auto spec =
      source_of("tsv", {{"file", folder / "t"}, {"eval", folder / "t"}, {"pack", true}});
  // a b c x y z are 2 .. 7. Sources of 2, 3, 2 tokens; targets of 4, 2, 4.
  auto feeder =
      opened(plan_of(spec, {ids_input("source", 2, 7, 0), ids_input("source_segment", 2, 7, 0),
                            ids_input("target", 2, 6, 0), ids_input("target_segment", 2, 6, 0),
                            ids_input("target_position", 2, 6, 0)}));
  CHECK(evaluated(feeder, "source") == std::vector{2, 1, 3, 3, 1, 0, 0, 4, 1, 0, 0, 0, 0, 0});
  CHECK(evaluated(feeder, "source_segment") ==
        std::vector{1, 1, 2, 2, 2, 0, 0, 1, 1, 0, 0, 0, 0, 0});
  CHECK(evaluated(feeder, "target") == std::vector{5, 5, 5, 1, 6, 1, 7, 7, 7, 1, 0, 0});
  CHECK(evaluated(feeder, "target_segment") == std::vector{1, 1, 1, 1, 2, 2, 1, 1, 1, 1, 0, 0});
  CHECK(evaluated(feeder, "target_position") == std::vector{0, 1, 2, 3, 0, 1, 0, 1, 2, 3, 0, 0});
}

TEST_CASE("packing loses and doubles nothing, whatever the lengths", "[data]") {
  const ScratchFolder folder;
  std::string text;
  std::vector<int> expected;
  for (int i = 0; i < 500; ++i) {
    const int words = 1 + i * i * 7 % 11;
    for (int k = 0; k < words; ++k) text += (k ? " w" : "w") + std::to_string(100 + i);
    expected.insert(expected.end(), static_cast<std::size_t>(words), 2 + i);
    expected.push_back(1);
    text += "\n";
  }
  write_file(folder / "t", text);
  for (const std::int64_t length : {12, 13, 40}) {
    const auto spec =
        source_of("lines", {{"file", folder / "t"}, {"eval", folder / "t"}, {"pack", true}});
    auto feeder = opened(
        plan_of(spec, {ids_input("tokens", 1, length, 0), ids_input("segment", 1, length, 0)}));
    std::vector<int> seen;
    for (std::int64_t row = 0; row < feeder.eval_batches(); ++row) {
      const auto ids = evaluated(feeder, "tokens", row), parts = evaluated(feeder, "segment", row);
      const auto used = std::find(parts.begin(), parts.end(), 0) - parts.begin();
      CHECK(std::all_of(parts.begin() + used, parts.end(), [](int s) { return s == 0; }));
      CHECK(ids[static_cast<std::size_t>(used) - 1] == 1);
      CHECK(parts[static_cast<std::size_t>(used) - 1] == std::count(ids.begin(), ids.end(), 1));
      seen.insert(seen.end(), ids.begin(), ids.begin() + used);
    }
    CHECK(seen == expected);
  }
}

TEST_CASE("lines and pairs: files that are none", "[data]") {
  const ScratchFolder folder;
  const auto refused = [&](const std::string& function, const std::string& text) {
    write_file(folder / "t", text);
    const auto spec = source_of(function, {{"file", folder / "t"}, {"holdout", 0.0}});
    const std::string field = function == "tsv" ? "source" : "tokens";
    std::string message = refusal_of(plan_of(spec, {ids_input(field, 1, 100, 0)}));
    const std::size_t at = message.find(folder.path());
    if (at != message.npos) message.erase(at, folder.path().size() + 1);
    return message;
  };
  CHECK(refused("tsv", "a\tb\nab\n") ==
        "`t`, line 2 is not a pair: it has 0 tabs, not one between two texts");
  CHECK(refused("tsv", "a\tb\tc\n") ==
        "`t`, line 1 is not a pair: it has 2 tabs, not one between two texts");
  CHECK(refused("tsv", "") == "`t` has no lines");
  CHECK(refused("lines", "\n \n\r\n") == "`t` has no lines");
  CHECK(refused("lines", std::string("a\nb\0c", 5)) ==
        "`t` is not text, it holds a NUL: see line 2, byte 3 of the file");
  CHECK(refused("lines", "a\n\n\xff") == "`t` is not UTF-8 text: see line 3, byte 3 of the file");
  CHECK(refused("lines", "a b") == "accepted");
  const std::string large(30'000'000 / MTFC_TEST_SHARE, 'x');
  CHECK(refused("lines", large) == "accepted");  // one word
  std::string words = large;
  for (std::size_t i = 1; i < words.size(); i += 2) words[i] = ' ';
  const std::string count = std::to_string(large.size() / 2 + 1);
  CHECK(refused("lines", words)
            .starts_with("`t`, line 1: `tokens` has " + count +
                         " tokens with its end, length = 100 | " + "-D length=" + count));

  write_file(folder / "t", "a\n");
  const auto spec = source_of("lines", {{"file", folder / "t"}, {"holdout", 0.0}});
  const auto with = [&](InputSpec input) { return refusal_of(plan_of(spec, {std::move(input)})); };
  CHECK(with(ids_input("token", 1, 2, 0)) ==
        "`s` has no field `token` | did you mean `tokens`? | its fields: `tokens`, `segment`, "
        "`position`");
  CHECK(with(ids_input("tokens", 2, 2, 0)) ==
        "the training split of `s.tokens` has 1 example, fewer than one batch: batch=2 | -D "
        "batch=1");
  InputSpec scalar = ids_input("tokens", 1, 2, 0);
  scalar.extents = {1}, scalar.dims = {"batch"};
  CHECK(with(scalar) ==
        "an example of `s.tokens` is one row of ids, but the input is `tokens[batch=1]` | declare "
        "it with two dimensions: examples, then positions in the row");
  CHECK(refusal_of(plan_of(spec, {ids_input("tokens", 1, 2, 0), ids_input("segment", 1, 3, 0)})) ==
        "all inputs from `s.tokens` have one length; here are 2 and 3");
  const auto folder_spec = source_of("lines", {{"file", folder.path()}});
  CHECK(
      refusal_of(plan_of(folder_spec, {ids_input("tokens", 1, 2, 0)})).ends_with("is a directory"));
}

}  // namespace data_sequences_test
