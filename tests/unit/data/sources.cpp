// Data sources: what they deliver, and what they say when something does not fit.
#include <catch2/catch.hpp>
#include <fstream>
#include <set>

#include "data/check_input.h"
#include "data/files/npy.h"
#include "support/program_names.h"
#include "unit/data/lab.h"

namespace data_sources_test {

using namespace mtfc;
using namespace mtfc::runtime;
using namespace mtfc::test;

namespace {

InputSpec window(const std::string& name, std::int64_t batch, std::int64_t length,
                 std::int64_t vocab) {
  const std::string field = name == "tok" ? "window" : "window_next";
  return {name, DType::i32, {batch, length}, {"batch", "length"}, "s", field, vocab, "vocab"};
}

}  // namespace

TEST_CASE("chars: ids are places among the sorted distinct characters", "[data]") {
  const ScratchFolder folder;
  write_file(folder / "t.txt", "cabcabcabcabcabcabca");  // 18 to train on, 2 kept
  const auto spec = source_of("chars", {{"file", folder / "t.txt"}});
  auto feeder = Feeder::open(plan_of(spec, {window("tok", 4, 5, 3), window("nxt", 4, 5, 3)}));
  REQUIRE(feeder);
  Feeds feeds;
  REQUIRE(feeder->train(7, feeds));
  const auto tok = ints_of(feeds, "tok"), nxt = ints_of(feeds, "nxt");
  for (std::size_t i = 0; i < tok.size(); ++i) CHECK(nxt[i] == (tok[i] + 1) % 3);
  CHECK(ints_of(feeds, feed_names::step) == std::vector{7});
  Feeds again;
  REQUIRE(feeder->train(7, again));
  CHECK(ints_of(again, "tok") == tok);
}

TEST_CASE("chars: evaluation windows are consecutive, the tail of the last batch is zero",
          "[data]") {
  const ScratchFolder folder;
  write_file(folder / "t.txt", "aaaaaaaaaaaaaaaa");
  write_file(folder / "e.txt", "abcdefghijk");  // 3 windows of 3, and one character to spare
  const auto spec = source_of("chars", {{"file", folder / "t.txt"}, {"eval", folder / "e.txt"}});
  auto feeder = Feeder::open(plan_of(spec, {window("tok", 2, 3, 11), window("nxt", 2, 3, 11)}));
  REQUIRE(feeder);
  REQUIRE(feeder->eval_batches() == 2);
  Feeds feeds;
  REQUIRE(feeder->eval(0, feeds));
  CHECK(ints_of(feeds, "tok") == std::vector{0, 1, 2, 3, 4, 5});
  CHECK(ints_of(feeds, "nxt") == std::vector{1, 2, 3, 4, 5, 6});
  CHECK(ints_of(feeds, feed_names::examples) == std::vector{2});
  REQUIRE(feeder->eval(1, feeds));
  CHECK(ints_of(feeds, "tok") == std::vector{6, 7, 8, 0, 0, 0});
  CHECK(ints_of(feeds, feed_names::examples) == std::vector{1});
}

TEST_CASE("chars: what does not fit names the -D that does", "[data]") {
  const ScratchFolder folder;
  write_file(folder / "t.txt", "héllo wörld, this is text");
  const auto spec = source_of("chars", {{"file", folder / "t.txt"}});
  CHECK(refusal_of(plan_of(spec, {window("tok", 2, 4, 9)})) ==
        "`s.window` does not fit: distinct characters: 15, vocab = 9 | -D vocab=15");
  CHECK(refusal_of(plan_of(spec, {window("tok", 2, 400, 99)})) ==
        "`s` has 22 tokens for training; one window with its next token needs 401 (`length` + 1) | "
        "-D length=21");
  write_file(folder / "bad.txt", "abc\xff");
  CHECK(refusal_of(plan_of(source_of("chars", {{"file", folder / "bad.txt"}}),
                           {window("tok", 1, 1, 99)})) ==
        "`" + (folder / "bad.txt") + "` is not UTF-8 text: see line 1, byte 3 of the file");
  CHECK(refusal_of(
            plan_of(source_of("chars", {{"file", folder / "no"}}), {window("tok", 1, 1, 99)})) ==
        "cannot read `" + (folder / "no") + "`: no such file or directory");
  CHECK(refusal_of(plan_of(source_of("chars", {{"file", folder / "t.txt"}, {"holdup", 0.1}}),
                           {window("tok", 1, 1, 99)})) == "`chars`: it has no argument `holdup`");
}

TEST_CASE("tokens: little-endian 16-bit ids", "[data]") {
  const ScratchFolder folder;
  std::string text;
  for (int i = 0; i < 40; ++i) text += {static_cast<char>(i), '\x01'};
  write_file(folder / "t.bin", text);
  const auto spec = source_of("tokens", {{"file", folder / "t.bin"}});
  auto feeder = Feeder::open(plan_of(spec, {window("tok", 1, 3, 296)}));
  REQUIRE(feeder);
  Feeds feeds;
  REQUIRE(feeder->eval(0, feeds));
  CHECK(ints_of(feeds, "tok") == std::vector{256 + 36, 256 + 37, 256 + 38});
  CHECK(refusal_of(plan_of(spec, {window("tok", 1, 3, 295)})) ==
        "`s.window` does not fit: `" + (folder / "t.bin") +
            "` holds the id 295 at byte 78, so the ids need: 296, vocab = 295 | -D vocab=296");
}

TEST_CASE("npy: every example once an epoch, the incomplete batch dropped", "[data]") {
  const ScratchFolder folder;
  HostTensor data = HostTensor::zeros(DType::f32, {25, 2});
  HostTensor label = HostTensor::zeros(DType::i32, {25});
  for (int i = 0; i < 25; ++i) {
    data.as<float>()[2 * i] = float(i);
    label.as<std::int32_t>()[i] = i;
  }
  const auto save = [&](const std::string& name, const HostTensor& tensor) {
    const Bytes bytes = npy_bytes(tensor);
    write_file(folder / name,
               std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  };
  save("x.npy", data);
  save("y.npy", label);
  const auto spec = source_of(
      "npy", {{"file", folder / "x.npy"}, {"label", folder / "y.npy"}, {"holdout", 0.08}});
  const auto made = plan_of(spec, {input("x", DType::f32, {5, 2}, {"batch", "d"}, "data"),
                                   input("y", DType::i32, {5}, {"batch"}, "label")});
  auto feeder = Feeder::open(made);
  REQUIRE(feeder);
  CHECK(*feeder->steps_of(2) == 8);  // 23 examples to train on: 4 batches an epoch
  std::vector<std::set<int>> epochs(2);
  Feeds feeds;
  for (int step = 0; step < 8; ++step) {
    REQUIRE(feeder->train(step, feeds));
    for (int i = 0; i < 5; ++i) {
      const int id = feeds.at("y").as<std::int32_t>()[i];
      CHECK(feeds.at("x").as<float>()[2 * i] == float(id));
      CHECK(epochs[std::size_t(step / 4)].insert(id).second);
      CHECK(id < 23);
    }
  }
  CHECK(epochs[0] != epochs[1]);
  REQUIRE(feeder->eval(0, feeds));
  CHECK(ints_of(feeds, "y") == std::vector{23, 24, 0, 0, 0});
  CHECK(ints_of(feeds, feed_names::examples) == std::vector{2});

  auto small = made;
  small.inputs[1].ids = 10, small.inputs[1].ids_dim = "class";
  CHECK(refusal_of(small) == "`s.label` does not fit: `s.label` (`" + (folder / "y.npy") +
                                 "`, row 24) is 24, so the ids need: "
                                 "25, class = 10 | -D class=25");
  auto wide = made;
  wide.inputs[0].extents[1] = 3;
  CHECK(refusal_of(wide) ==
        "a record of `s.data` is [2], but the input is `x[batch=5, d=3]` | -D d=2");
  auto huge = made;
  for (InputSpec& each : huge.inputs) each.extents[0] = 64;
  CHECK(refusal_of(huge) ==
        "the training split of `s.data` has 23 examples, fewer than one batch: "
        "batch=64 | -D batch=23");
  auto unknown = made;
  unknown.inputs[0].field = "dat";
  CHECK(refusal_of(unknown) ==
        "`s` has no field `dat` | did you mean `data`? | its fields: `data`, `label`");
}

TEST_CASE("a record with another number of dimensions: what each stands for", "[data]") {
  const InputSpec y = input("y", DType::f32, {4}, {"batch"}, "data");
  const auto helps = [](const InputSpec& of, const std::vector<std::int64_t>& record) {
    const Status status = check_record(of, record);
    REQUIRE(!status);
    return status.error().helps;
  };
  const std::string first = "the first dimension numbers the examples, ";
  const std::string ones =
      "declare the dimension of 1, too, or store the array without it: `numpy.squeeze`";
  CHECK(helps(y, {1}) == std::vector{first + "the other one, of size 1, is the record's", ones});
  CHECK(helps(y, {3}) == std::vector{first + "the other one, of size 3, is the record's"});
  CHECK(helps(y, {3, 2}) ==
        std::vector{first + "the other 2 are the record's, in the file's order"});
  CHECK(helps(input("y", DType::f32, {4, 3}, {"batch", "k"}, "data"), {}) ==
        std::vector{first + "and a record is a single number: declare `y[batch]`"});
}

TEST_CASE("csv: a field for each column", "[data]") {
  const ScratchFolder folder;
  write_file(folder / "t.csv",
             "a, b ,\"name, of\"\r\n1,0.5,\"x\"\"y\"\n2,-1e3,z\n\n3,7,w\n4,7,w\n");
  const auto spec = source_of("csv", {{"file", folder / "t.csv"}, {"holdout", 0.5}});
  auto feeder = Feeder::open(plan_of(
      spec, {input("a", DType::i32, {2}, {"n"}, "a"), input("b", DType::f32, {2}, {"n"}, "b")}));
  REQUIRE(feeder);
  Feeds feeds;
  REQUIRE(feeder->eval(0, feeds));
  CHECK(ints_of(feeds, "a") == std::vector{3, 4});
  REQUIRE(feeder->train(0, feeds));
  const int a = ints_of(feeds, "a")[0];
  CHECK(feeds.at("b").as<float>()[0] == (a == 1 ? 0.5f : -1000.0f));
  CHECK(refusal_of(plan_of(spec, {input("c", DType::f32, {2}, {"n"}, "name, of")})) ==
        "`s.name, of` cannot be read: `" + (folder / "t.csv") +
            "`, line 2: `x\"y` is not a number");
  CHECK(refusal_of(plan_of(spec, {input("c", DType::i32, {2}, {"n"}, "b")})) ==
        "`s.b` (`" + (folder / "t.csv") +
            "`, line 2) is 0.5, not a whole number of 32 bits, but the input `c` is int");
  write_file(folder / "t.csv", "a,b\n1,2\n1\n");
  CHECK(refusal_of(plan_of(spec, {input("a", DType::i32, {2}, {"n"}, "a")})) ==
        "`" + (folder / "t.csv") + "`, line 3 has 1 cell, its header has 2");
}

TEST_CASE("tables that lose rows or columns are refused", "[data]") {
  const ScratchFolder folder;
  const auto spec = source_of("csv", {{"file", folder / "t.csv"}, {"holdout", 0.0}});
  const std::string path = "`" + (folder / "t.csv") + "`";
  const std::pair<const char*, std::string> cases[] = {
      {"a,b\n1,x\n2,\"y\n3,z\n", path + ", line 3: a quote is opened and not closed"},
      {"", path + " is empty: its first line names the columns"},
      {"\n\n", path + " is empty: its first line names the columns"},
      {"a,b\r1,2\r", path + ": its lines end with carriage returns alone, not with line feeds"}};
  for (const auto& [text, message] : cases) {
    write_file(folder / "t.csv", text);
    CHECK(refusal_of(plan_of(spec, {input("a", DType::f32, {1}, {"n"}, "a")})) == message);
  }
  write_file(folder / "t.csv", "a,b\n1,2\n");
  const auto held = source_of("csv", {{"file", folder / "t.csv"}, {"holdout", 0.5}});
  CHECK(refusal_of(plan_of(held, {input("a", DType::f32, {1}, {"n"}, "a")})) ==
        "the training split of `s.a` has 0 examples, fewer than one batch: n=1 | what `holdout` "
        "keeps for "
        "evaluation, and what is skipped as too long, is not in it");
  // A quote within a cell is one of its characters; empty lines before the header are skipped.
  write_file(folder / "t.csv", "\n \na,b\n+1,5\" pipe\n-.5,\"two, \"\"or\"\" three\"\n");
  auto feeder = Feeder::open(plan_of(spec, {input("a", DType::f32, {2}, {"n"}, "a")}));
  REQUIRE(feeder);
  Feeds feeds;
  REQUIRE(feeder->train(0, feeds));
  std::vector<float> numbers(feeds.at("a").as<float>(), feeds.at("a").as<float>() + 2);
  std::sort(numbers.begin(), numbers.end());
  CHECK(numbers == std::vector<float>{-0.5f, 1.0f});
}

TEST_CASE("ints reach to both ends of 32 bits", "[data]") {
  const ScratchFolder folder;
  write_file(folder / "t.csv", "a,b,c\n-2147483648,2147483648,-2147483649\n");
  const auto spec = source_of("csv", {{"file", folder / "t.csv"}, {"holdout", 0.0}});
  const auto feeder = Feeder::open(plan_of(spec, {input("x", DType::i32, {1}, {"batch"}, "a")}));
  REQUIRE(feeder);
  for (const auto& [column, value] : {std::pair("b", "2147483648"), {"c", "-2147483649"}})
    CHECK(refusal_of(plan_of(spec, {input("x", DType::i32, {1}, {"batch"}, column)})) ==
          "`s." + std::string(column) + "` (`" + (folder / "t.csv") + "`, line 2) is " + value +
              ", not a whole number of 32 bits, but the input `x` is int");
}

TEST_CASE("cells of a csv file are not joined", "[data]") {
  const ScratchFolder folder;
  const auto said = [&](const char* text) {
    write_file(folder / "t.csv", text);
    const auto spec = source_of("csv", {{"file", folder / "t.csv"}, {"holdout", 0.0}});
    return refusal_of(plan_of(spec, {input("x", DType::f32, {1}, {"batch"}, "a")}));
  };
  const std::string file = "`" + (folder / "t.csv") + "`";
  CHECK(said("a\n1\r2\r3\n4\n") == file + ", line 2: a carriage return within the line");
  for (const char* cell : {"\"1\"2", "\"1\"e3", "\"-\"5", "\"\"\"\"5", "\"1\" \"2\""})
    CHECK_THAT(said(("a\n" + std::string(cell) + "\n").c_str()),
               Catch::StartsWith(file + ", line 2: text follows the closing quote of a cell"));
  CHECK_THAT(said("\"a\"b\n1\n"), Catch::StartsWith(file + ", line 1: text follows"));
  CHECK(said("a\r\n\"1\" \r\n \"2\"\r") == "accepted");
  CHECK(said("a\r\r\n1\r\r\n2\r\r\n") == "accepted");
}

TEST_CASE("a cell of a csv file is named by its own line", "[data]") {
  const ScratchFolder folder;
  write_file(folder / "t.csv", "a,text,b\n1,\"one\ntwo\",2\n1.5,\"three\nfour\",2.5\n");
  const auto spec = source_of("csv", {{"file", folder / "t.csv"}, {"holdout", 0.0}});
  const auto said = [&](const char* column) {
    return refusal_of(plan_of(spec, {input("x", DType::i32, {1}, {"batch"}, column)}));
  };
  CHECK_THAT(said("a"), Catch::StartsWith("`s.a` (`" + (folder / "t.csv") + "`, line 4) is 1.5"));
  CHECK_THAT(said("b"), Catch::StartsWith("`s.b` (`" + (folder / "t.csv") + "`, line 5) is 2.5"));
}

TEST_CASE("what is finite in a file is finite in an input", "[data]") {
  const ScratchFolder folder;
  write_file(folder / "t.csv", "a,b\n3.4e38,3.5e38\n65504,-65505\n");
  const auto spec = source_of("csv", {{"file", folder / "t.csv"}, {"holdout", 0.0}});
  const auto takes = [&](DType dtype, const char* column) {
    return refusal_of(plan_of(spec, {input("x", dtype, {1}, {"batch"}, column)}));
  };
  CHECK(takes(DType::f32, "a") == "accepted");
  CHECK(takes(DType::f64, "b") == "accepted");
  CHECK(takes(DType::f32, "b") ==
        "`s.b` (`" + (folder / "t.csv") +
            "`, line 2) is 3.5e+38, and the input `x` is f32, which ends at "
            "3.4028234663852886e+38");
  CHECK_THAT(takes(DType::bf16, "a"), Catch::Contains("`x` is bf16, which ends at 3.38"));
  CHECK_THAT(takes(DType::f16, "a"), Catch::Contains("`x` is f16, which ends at 65504"));
}

TEST_CASE("ints of a file are finite in halves", "[data]") {
  const ScratchFolder folder;
  const auto takes = [&](std::int32_t last) {
    HostTensor numbers = HostTensor::zeros(DType::i32, {2});
    numbers.as<std::int32_t>()[1] = last;
    const Bytes bytes = npy_bytes(numbers);
    write_file(folder / "n.npy", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    const auto spec = source_of("npy", {{"file", folder / "n.npy"}, {"holdout", 0.0}});
    return refusal_of(plan_of(spec, {input("x", DType::f16, {2}, {"batch"}, "")}));
  };
  CHECK(takes(65504) == "accepted");
  CHECK_THAT(takes(65536),
             Catch::Contains("row 1) is 65536, and the input `x` is f16, which ends"));
}

TEST_CASE("a table without rows has no batch, whatever an input's type", "[data]") {
  const ScratchFolder folder;
  write_file(folder / "t.csv", "a\n");
  const auto spec = source_of("csv", {{"file", folder / "t.csv"}, {"holdout", 0.0}});
  for (const DType dtype : {DType::f32, DType::f16, DType::i32})
    CHECK_THAT(refusal_of(plan_of(spec, {input("x", dtype, {1}, {"batch"}, "a")})),
               Catch::StartsWith(
                   "the training split of `s.a` has 0 examples, fewer than one batch: batch=1"));
}

TEST_CASE("npy: an extent of 0 is said", "[data]") {
  const ScratchFolder folder;
  const auto refused = [&](std::vector<std::int64_t> extents) {
    const Bytes bytes = npy_bytes(HostTensor::zeros(DType::f32, std::move(extents)));
    write_file(folder / "x.npy", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    const auto spec = source_of("npy", {{"file", folder / "x.npy"}});
    return refusal_of(plan_of(spec, {input("x", DType::f32, {2, 3}, {"batch", "d"}, "data")}));
  };
  const std::string file = "`" + (folder / "x.npy") + "` ";
  CHECK(refused({0, 3}) == file + "holds no examples: its first extent is 0");
  CHECK(refused({4, 0, 3}) == file + "holds no numbers: an extent of its examples is 0");
}

TEST_CASE("npy: no other file has the first one's field", "[data]") {
  const ScratchFolder folder;
  const Bytes bytes = npy_bytes(HostTensor::zeros(DType::i32, {2}));
  write_file(folder / "x.npy",
             std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  const auto spec = source_of("npy", {{"file", folder / "x.npy"}, {"data", folder / "x.npy"}});
  CHECK_THAT(refusal_of(plan_of(spec, {input("x", DType::i32, {1}, {"batch"}, "data")})),
             Catch::Contains("`data` is the field of the first file"));
}

TEST_CASE("csv: what rounds to zero is zero, what no number of 64 bits holds is refused",
          "[data]") {
  const ScratchFolder folder;
  write_file(folder / "t.csv", "small,large\n1e-400,1\n-1e-400,-1e999\n");
  const auto spec = source_of("csv", {{"file", folder / "t.csv"}, {"holdout", 0.0}});
  auto feeder = Feeder::open(plan_of(spec, {input("s", DType::f32, {2}, {"n"}, "small")}));
  REQUIRE(feeder);
  Feeds feeds;
  REQUIRE(feeder->train(0, feeds));
  CHECK(feeds.at("s").as<float>()[0] == 0);
  CHECK(feeds.at("s").as<float>()[1] == 0);
  CHECK(refusal_of(plan_of(spec, {input("l", DType::f32, {2}, {"n"}, "large")})) ==
        "`s.large` cannot be read: `" + (folder / "t.csv") +
            "`, line 3: `-1e999` is larger than any number of 64 bits");
}

TEST_CASE("bytes: any file; `holdout` is a share of the bytes", "[data]") {
  const ScratchFolder folder;
  write_file(folder / "t", std::string("\xff\x00z\x80yabcdef", 11));
  const auto spec = source_of("bytes", {{"file", folder / "t"}, {"holdout", 0.4}});
  auto feeder = Feeder::open(plan_of(spec, {window("tok", 1, 4, 256)}));
  REQUIRE(feeder);
  Feeds feeds;
  REQUIRE(feeder->eval(0, feeds));
  CHECK(ints_of(feeds, "tok") == std::vector<int>{'b', 'c', 'd', 'e'});
  CHECK(feeder->eval_batches() == 1);
  CHECK(feeder->tokenizer("s")->size() == 256);
  CHECK(feeder->tokenizer("other") == nullptr);
  CHECK(refusal_of(plan_of(spec, {window("tok", 1, 4, 255)})).ends_with("-D vocab=256"));
}

TEST_CASE("bpe: ids of vocab.json; `holdout` is a share of the characters", "[data]") {
  const ScratchFolder folder;
  write_file(folder / "vocab.json", R"({"a": 0, "Ã": 1, "©": 2, "aa": 3, "Ã©": 4})");
  write_file(folder / "merges.txt", "a a\nÃ ©\n");
  write_file(folder / "t", "aaaaaéaaéaaa");  // the last six characters are kept
  const auto spec = source_of("bpe", {{"file", folder / "t"},
                                      {"vocab", folder / "vocab.json"},
                                      {"merges", folder / "merges.txt"},
                                      {"holdout", 0.5}});
  auto feeder = Feeder::open(plan_of(spec, {window("tok", 1, 3, 5), window("nxt", 1, 3, 5)}));
  REQUIRE(feeder);
  Feeds feeds;
  REQUIRE(feeder->eval(0, feeds));
  CHECK(ints_of(feeds, "tok") == std::vector{3, 4, 3});
  CHECK(ints_of(feeds, "nxt") == std::vector{4, 3, 0});
  CHECK(feeder->tokenizer("s")->decode(std::vector{3, 4, 0}) == "aaéa");
  CHECK(refusal_of(plan_of(spec, {window("tok", 1, 3, 4)})) ==
        "`s.window` does not fit: tokens in the vocabulary: 5, vocab = 4 | -D vocab=5");
  write_file(folder / "t", "aaaab");
  CHECK(refusal_of(plan_of(spec, {window("tok", 1, 3, 5)})) ==
        "`" + (folder / "t") +
            "`, evaluation part: the byte 98 at byte 2 is not in the vocabulary");
}

TEST_CASE("tokens: a vocabulary says what the ids mean", "[data]") {
  const ScratchFolder folder;
  write_file(folder / "vocab.json", R"({"a": 0, "b": 1, "ab": 2})");
  write_file(folder / "merges.txt", "a b\n");
  write_file(folder / "t", std::string("\2\0\1\0\0\0", 6));
  const auto spec = source_of("tokens", {{"file", folder / "t"},
                                         {"vocab", folder / "vocab.json"},
                                         {"merges", folder / "merges.txt"},
                                         {"holdout", 0.0}});
  auto feeder = Feeder::open(plan_of(spec, {window("tok", 1, 2, 3)}));
  REQUIRE(feeder);
  CHECK(feeder->tokenizer("s")->decode(std::vector{2, 1, 0}) == "abba");
  const auto half = source_of("tokens", {{"file", folder / "t"}, {"vocab", folder / "vocab.json"}});
  CHECK(refusal_of(plan_of(half, {window("tok", 1, 2, 3)})) ==
        "`tokens`: `vocab` and `merges` go together");
}

TEST_CASE("tokens: 32 bits, two files, and files that are none", "[data]") {
  const ScratchFolder folder;
  const auto ids = [](std::vector<std::uint32_t> numbers) {
    std::string text;
    for (const std::uint32_t n : numbers)
      for (int shift = 0; shift < 32; shift += 8) text += static_cast<char>(n >> shift);
    return text;
  };
  write_file(folder / "a", ids({70000, 1, 2, 3, 4}));
  write_file(folder / "b", ids({5, 6, 70001, 8}));
  const auto spec = source_of(
      "tokens", {{"file", folder / "a"}, {"eval", folder / "b"}, {"bits", std::int64_t{32}}});
  auto feeder = Feeder::open(plan_of(spec, {window("tok", 1, 3, 70002)}));
  REQUIRE(feeder);
  Feeds feeds;
  REQUIRE(feeder->eval(0, feeds));
  CHECK(ints_of(feeds, "tok") == std::vector{5, 6, 70001});
  CHECK(refusal_of(plan_of(spec, {window("tok", 1, 3, 70001)})) ==
        "`s.window` does not fit: `" + (folder / "b") +
            "` holds the id 70001 at byte 8, so the ids need: 70002, vocab = 70001 | -D "
            "vocab=70002");
  write_file(folder / "b", ids({5, 6, 0xFFFFFFFF, 8}));
  auto large = Feeder::open(plan_of(spec, {window("tok", 1, 3, 0)}));
  REQUIRE(large);
  const auto read = large->eval(0, feeds);
  REQUIRE_FALSE(read);
  CHECK(read.error().message ==
        "`" + (folder / "b") + "`, byte 8: the id 4294967295 is beyond ids of 31 bits");
  write_file(folder / "b", ids({5}));  // while it is in use
  CHECK(large->eval(0, feeds).error().message ==
        "`" + (folder / "b") + "` has become shorter: it ends at byte 4, it had 16");
  write_file(folder / "b", "12345");
  CHECK(refusal_of(plan_of(spec, {window("tok", 1, 3, 9)})) ==
        "`" + (folder / "b") + "` has 5 bytes: it is not a list of 32-bit ids");
  const auto odd = source_of("tokens", {{"file", folder / "a"}, {"bits", std::int64_t{8}}});
  CHECK(refusal_of(plan_of(odd, {window("tok", 1, 3, 9)})) == "`tokens`: `bits` must be 16 or 32");
  const auto directory = source_of("tokens", {{"file", folder.path()}});
  CHECK(refusal_of(plan_of(directory, {window("tok", 1, 3, 9)})).ends_with(": is a directory"));
  const auto device = source_of("tokens", {{"file", std::string("/dev/zero")}});
  CHECK(refusal_of(plan_of(device, {window("tok", 1, 3, 9)}))
            .ends_with(": it is not a regular file"));
  write_file(folder / "e", "");
  const auto empty = source_of("tokens", {{"file", folder / "e"}});
  CHECK(refusal_of(plan_of(empty, {window("tok", 1, 3, 9)})) ==
        "`s` has 0 tokens for training; one window with its next token needs 4 (`length` + 1)");
}

}  // namespace data_sources_test
