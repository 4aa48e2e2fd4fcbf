// A process reads its part of each batch and nothing else: all parts together are the batch,
// whatever the source, and what lies outside a part need not even be there.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>

#include "support/program_names.h"
#include "train/train_plan.h"
#include "unit/data/lab.h"

namespace data_batch_shards_test {

using namespace mtfc;
using namespace mtfc::runtime;
using namespace mtfc::test;

namespace {

/// Process (row, col) of a mesh that splits examples in `rows` and each input's last other
/// dimension in `cols`.
class OneOf : public Engine {
 public:
  OneOf(std::int64_t rows, std::int64_t cols, std::int64_t row, std::int64_t col)
      : rows_(rows), cols_(cols), row_(row), col_(col) {}
  Block input_part(std::string_view, const std::vector<std::int64_t>& extents) const override {
    Block part = Block::whole(extents);
    cut(part, 0, rows_, row_);
    if (extents.size() > 1) cut(part, extents.size() - 1, cols_, col_);
    return part;
  }
  bool has_program(std::string_view) const override { return false; }
  void run(std::string_view, const Feeds&, std::vector<Fetched>&) override {}
  std::vector<VariableInfo> variables() const override { return {}; }
  HostTensor variable(std::string_view) override { return {}; }
  void set_variable(std::string_view, const HostTensor&) override {}
  Counters counters(std::string_view) const override { return {}; }

 private:
  static void cut(Block& part, std::size_t d, std::int64_t ways, std::int64_t number) {
    REQUIRE(part.extents[d] % ways == 0);
    part.extents[d] /= ways;
    part.begin[d] = number * part.extents[d];
  }
  std::int64_t rows_, cols_, row_, col_;
};

Feeder opened(const DataPlan& plan) {
  auto feeder = Feeder::open(plan);
  if (!feeder) FAIL(feeder.error().message);
  return std::move(*feeder);
}

Feeds fed(Feeder& feeder, Split split, std::int64_t number) {
  Feeds feeds;
  const Status done =
      split == Split::train ? feeder.train(number, feeds) : feeder.eval(number, feeds);
  if (!done) FAIL(done.error().message);
  return feeds;
}

/// Puts a part where it belongs in the whole tensor.
void place(const HostTensor& part, const Block& block, HostTensor& whole) {
  REQUIRE(part.extents == block.extents);
  const std::size_t size = size_of(part.dtype);
  for_each_run(whole.extents, block, [&](std::int64_t to, std::int64_t from, std::int64_t count) {
    std::memcpy(whole.data.data() + std::size_t(to) * size,
                part.data.data() + std::size_t(from) * size, std::size_t(count) * size);
  });
}

/// All parts of some batches against the whole ones, and the amounts that were read.
void check_parts(const DataPlan& plan, std::int64_t rows, std::int64_t cols) {
  auto whole = opened(plan);
  std::vector<std::pair<Split, std::int64_t>> batches = {
      {Split::train, 0}, {Split::train, 1}, {Split::train, 7}};
  for (std::int64_t b = 0; b < whole.eval_batches(); ++b) batches.emplace_back(Split::eval, b);
  std::vector<Feeds> wanted, made;
  for (const auto& [split, number] : batches) {
    wanted.push_back(fed(whole, split, number));
    made.push_back(wanted.back());
    for (auto& [name, tensor] : made.back())
      if (!tensor.extents.empty()) std::fill(tensor.data.begin(), tensor.data.end(), std::byte{9});
  }
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t col = 0; col < cols; ++col) {
      const OneOf process(rows, cols, row, col);
      auto feeder = opened(plan);
      read_for(feeder, process);
      for (std::size_t i = 0; i < batches.size(); ++i) {
        const Feeds part = fed(feeder, batches[i].first, batches[i].second);
        for (const InputSpec& input : plan.inputs)
          place(part.at(input.name), process.input_part(input.name, input.extents),
                made[i].at(input.name));
        CHECK(part.contains(feed_names::examples) == wanted[i].contains(feed_names::examples));
      }
      CHECK(feeder.amount().examples * rows == whole.amount().examples);
      CHECK(feeder.amount().bytes * rows <= whole.amount().bytes);
    }
  for (std::size_t i = 0; i < batches.size(); ++i)
    for (const InputSpec& input : plan.inputs) {
      INFO(input.name << ", batch " << i);
      CHECK(made[i].at(input.name).data == wanted[i].at(input.name).data);
    }
}

InputSpec input(const std::string& field, DType dtype, std::vector<std::int64_t> extents) {
  std::vector<std::string> dims;
  for (std::size_t d = 0; d < extents.size(); ++d) dims.push_back("d" + std::to_string(d));
  return {"in_" + field, dtype, std::move(extents), std::move(dims), "s", field, 0, ""};
}

/// A NumPy file of these elements, little end first (">": big).
template <class T>
std::string npy(const std::string& descr, const std::vector<std::int64_t>& extents,
                const std::vector<T>& values) {
  std::string shape;
  for (const std::int64_t extent : extents) shape += std::to_string(extent) + ",";
  std::string dict =
      "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  dict.resize((dict.size() + 10 + 64) / 64 * 64 - 10, ' ');
  std::string bytes = "\x93NUMPY";
  bytes += {'\x01', '\x00', char(dict.size() & 255), char(dict.size() >> 8)};
  bytes += dict;
  for (T value : values) {
    std::string item(reinterpret_cast<const char*>(&value), sizeof value);
    if (descr[0] == '>') std::reverse(item.begin(), item.end());
    bytes += item;
  }
  return bytes;
}

std::vector<float> counting(std::int64_t count) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(float(i));
  return values;
}

std::string idx(std::vector<std::int64_t> extents, int seed) {
  std::string bytes = {'\0', '\0', '\x08', char(extents.size())};
  std::int64_t total = 1;
  for (const std::int64_t extent : extents) {
    bytes += {'\0', '\0', char(extent >> 8), char(extent & 255)};
    total *= extent;
  }
  for (std::int64_t i = 0; i < total; ++i) bytes += char((i * 7 + seed) % 10);
  return bytes;
}

}  // namespace

TEST_CASE("parts of tables", "[data][parts]") {
  const ScratchFolder folder;
  const auto digits =
      source_of("digits", {{"count", std::int64_t{25}}, {"eval_count", std::int64_t{11}}});
  check_parts(
      plan_of(digits, {input("image", DType::f32, {8, 28, 28}), input("label", DType::i32, {8})}),
      4, 7);
  write_file(folder / "x.npy", npy<float>("<f4", {40, 3, 4}, counting(480)));
  write_file(folder / "y.npy", npy<float>(">f4", {40}, counting(40)));
  const auto arrays = source_of("npy", {{"file", folder / "x.npy"}, {"y", folder / "y.npy"}});
  check_parts(plan_of(arrays, {input("data", DType::f32, {6, 3, 4}), input("y", DType::i32, {6})}),
              2, 2);
  check_parts(plan_of(arrays, {input("data", DType::f16, {6, 3, 4})}), 3, 4);
  std::string sheet = "a,b\n";
  for (int i = 0; i < 30; ++i) sheet += std::to_string(i) + "," + std::to_string(i * i) + "\n";
  write_file(folder / "t.csv", sheet);
  check_parts(plan_of(source_of("csv", {{"file", folder / "t.csv"}}),
                      {input("a", DType::f32, {4}), input("b", DType::i32, {4})}),
              4, 1);
  write_file(folder / "train-images-idx3-ubyte", idx({20, 4, 6}, 1));
  write_file(folder / "train-labels-idx1-ubyte", idx({20}, 2));
  write_file(folder / "t10k-images-idx3-ubyte", idx({9, 4, 6}, 3));
  write_file(folder / "t10k-labels-idx1-ubyte", idx({9}, 4));
  check_parts(plan_of(source_of("idx", {{"dir", folder.path()}}),
                      {input("image", DType::f32, {4, 4, 6}), input("label", DType::i32, {4})}),
              2, 3);
}

TEST_CASE("parts of windows and sequences", "[data][parts]") {
  const ScratchFolder folder;
  std::string text, lines, pairs, sentences;
  for (int i = 0; i < 60; ++i) {
    const std::string word(std::size_t(i % 5 + 1), char('a' + i % 7));
    text += word + " ";
    lines += word + " b\n";
    pairs += word + " b\t" + word + "\n";
    sentences += "a b c\n" + std::string(i % 3 == 0 ? "\n" : "");
  }
  write_file(folder / "text", text);
  write_file(folder / "lines", lines);
  write_file(folder / "pairs", pairs);
  write_file(folder / "sentences", sentences);
  write_file(folder / "ids", std::string(800, '\1'));
  write_file(folder / "vocab", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\nc\n");
  for (const char* function : {"chars", "bytes", "tokens"})
    check_parts(
        plan_of(source_of(function, {{"file", folder / (function[0] == 't' ? "ids" : "text")}}),
                {ids_input("window", 4, 6, 0), ids_input("window_next", 4, 6, 0)}),
        2, 3);
  for (const bool pack : {false, true}) {
    check_parts(plan_of(source_of("lines", {{"file", folder / "lines"},
                                            {"tokens", std::string("chars")},
                                            {"pack", pack}}),
                        {ids_input("tokens", 4, 12, 0), ids_input("segment", 4, 12, 0),
                         ids_input("position", 4, 12, 0)}),
                2, 3);
    check_parts(plan_of(source_of("tsv", {{"file", folder / "pairs"}, {"pack", pack}}),
                        {ids_input("source", 4, 6, 0), ids_input("target", 4, 8, 0),
                         ids_input("source_segment", 4, 6, 0)}),
                4, 2);
  }
  check_parts(plan_of(source_of("bert_pairs",
                                {{"file", folder / "sentences"}, {"vocab", folder / "vocab"}}),
                      {ids_input("tokens", 2, 12, 0), ids_input("types", 2, 12, 0),
                       input("is_next", DType::i32, {2})}),
              2, 4);
}

TEST_CASE("parts of what is drawn", "[data][parts]") {
  for (const bool fixed : {false, true}) {
    check_parts(
        plan_of(source_of("gaussian", {{"fixed", fixed}}), {input("", DType::f32, {4, 3, 6})}), 2,
        3);
    check_parts(
        plan_of(source_of("gaussian_labels", {{"fixed", fixed}, {"classes", std::int64_t{9}}}),
                {input("", DType::i32, {4, 6})}),
        4, 2);
  }
}

TEST_CASE("what lies outside the part is not read from the disk", "[data][parts]") {
  const ScratchFolder folder;
  const std::string path = folder / "x.npy";
  // Evaluation goes in the file's order: the first half of the batch is the first half of the file.
  write_file(path, npy<float>("<f4", {40, 8}, counting(320)));
  DataPlan plan = plan_of(source_of("npy", {{"file", path}, {"holdout", 0.5}}),
                          {input("data", DType::f32, {20, 8})});
  auto upper = opened(plan), lower = opened(plan);
  read_for(upper, OneOf(2, 1, 0, 0));
  read_for(lower, OneOf(2, 1, 1, 0));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 10 * 8 * 4);
  const Feeds feeds = fed(upper, Split::eval, 0);
  CHECK(feeds.at("in_data").as<float>()[0] == 160);
  CHECK(feeds.at("in_data").as<float>()[79] == 239);
  Feeds none;
  const Status gone = lower.eval(0, none);
  REQUIRE_FALSE(gone);
  CHECK(gone.error().message.find("has become shorter") != std::string::npos);
}

TEST_CASE("bytes stay on the disk, however many there are", "[data][parts]") {
  const ScratchFolder folder;
  const std::string path = folder / "large";
  write_file(path, "0123456789");
  // A hole: more bytes than there is memory, most of them nowhere.
  constexpr std::int64_t size = std::int64_t{1} << 40;
  std::error_code failed;
  std::filesystem::resize_file(path, size, failed);
  if (failed) {
    WARN("no file of this size can be made here");
    return;
  }
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(size / 2);
  file << "abcdefghijklm";
  file.close();
  const DataPlan plan = plan_of(source_of("bytes", {{"file", path}, {"holdout", 0.5}}),
                                {ids_input("window", 3, 4, 0), ids_input("window_next", 3, 4, 0)});
  auto feeder = opened(plan);
  read_for(feeder, OneOf(3, 2, 1, 1));
  const Feeds feeds = fed(feeder, Split::eval, 0);
  CHECK(ints_of(feeds, "window") == std::vector<int>{'g', 'h'});
  CHECK(ints_of(feeds, "window_next") == std::vector<int>{'h', 'i'});
  CHECK(fed(feeder, Split::train, 5).at("window").elements() == 2);
}

}  // namespace data_batch_shards_test
