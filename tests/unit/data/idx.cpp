// idx(DIR): MNIST's files, real ones where they are at hand, and damaged ones.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/program_names.h"
#include "unit/data/lab.h"

namespace data_idx_test {

using namespace mtfc;
using namespace mtfc::runtime;
using namespace mtfc::test;

namespace {

std::string idx_bytes(std::vector<unsigned char> extents, std::size_t data) {
  std::string text{'\0', '\0', '\x08', static_cast<char>(extents.size())};
  for (const unsigned char extent : extents) text += {'\0', '\0', '\0', static_cast<char>(extent)};
  for (std::size_t i = 0; i < data; ++i) text += static_cast<char>(i % 251);
  return text;
}

DataPlan mnist_plan(const std::string& directory, std::int64_t batch, std::int64_t side) {
  DataPlan plan;
  plan.sources = {{"digits", "idx", {{"dir", directory}}, ""}};
  plan.inputs = {
      {"image", DType::f32, {batch, side, side}, {"batch", "row", "col"}, "digits", "image", 0, ""},
      {"label", DType::i32, {batch}, {"batch"}, "digits", "label", 10, "digit"}};
  return plan;
}

/// The folder of real data, or nothing.
std::string real_data() {
  if (const char* given = std::getenv("MTFC_TEST_DATA")) return given;
  return std::string(MTFC_SOURCE_DIR) + "/../shared/data";
}

}  // namespace

TEST_CASE("idx: small files", "[data]") {
  const ScratchFolder folder;
  const auto fill = [&](const std::string& images) {
    write_file(folder / "train-images-idx3-ubyte", images);
    write_file(folder / "train-labels-idx1-ubyte", idx_bytes({4}, 4));
    write_file(folder / "t10k-images-idx3-ubyte", idx_bytes({1, 2, 2}, 4));
    write_file(folder / "t10k-labels-idx1-ubyte", idx_bytes({1}, 1));
  };
  fill(idx_bytes({4, 2, 2}, 16));
  auto feeder = Feeder::open(mnist_plan(folder.path(), 2, 2));
  REQUIRE(feeder);
  Feeds feeds;
  REQUIRE(feeder->eval(0, feeds));
  CHECK(feeds.at("image").as<float>()[3] == 3.0f / 255.0f);
  CHECK(feeds.at(feed_names::examples).scalar() == 1);
  REQUIRE(feeder->train(0, feeds));
  const int label = feeds.at("label").as<std::int32_t>()[1];
  CHECK(feeds.at("image").as<float>()[4] == float(4 * label) / 255.0f);

  CHECK(refusal_of(mnist_plan(folder.path(), 2, 3)) ==
        "a record of `digits.image` is [2, 2], but the input is `image[batch=2, row=3, col=3]` | "
        "-D row=2 | -D col=2");
  fill(idx_bytes({4, 2, 2}, 15));
  CHECK(refusal_of(mnist_plan(folder.path(), 2, 2))
            .ends_with("is not an IDX file: its header says 16 bytes of data, it has 15"));
  fill("junk");
  CHECK(refusal_of(mnist_plan(folder.path(), 2, 2)).ends_with("it does not begin as one"));
  fill(idx_bytes({4, 2, 2}, 16).substr(0, 10));
  CHECK(refusal_of(mnist_plan(folder.path(), 2, 2)).ends_with("its header is cut off"));
  std::string absurd = idx_bytes({4, 2, 2}, 16);
  for (std::size_t i = 4; i < 16; ++i) absurd[i] = '\xff';
  fill(absurd);
  CHECK(refusal_of(mnist_plan(folder.path(), 2, 2)).ends_with("its extents are absurd"));
  write_file(folder / "train-images-idx3-ubyte", "\x1f\x8b\x08 cut off");
  CHECK(refusal_of(mnist_plan(folder.path(), 2, 2)).ends_with("it does not decompress"));
  std::filesystem::remove(folder / "train-images-idx3-ubyte");
  CHECK(refusal_of(mnist_plan(folder.path(), 2, 2)).ends_with("no such file or directory"));
}

TEST_CASE("idx: real digits", "[data][real]") {
  const std::string directory = real_data() + "/mnist";
  if (!std::filesystem::exists(directory)) {
    WARN("skipped: no real data at " + directory + " (set MTFC_TEST_DATA)");
    return;
  }
  auto feeder = Feeder::open(mnist_plan(directory, 100, 28));
  REQUIRE(feeder);
  CHECK(*feeder->steps_of(1) == 90);
  CHECK(feeder->eval_batches() == 10);
  Feeds feeds;
  REQUIRE(feeder->train(0, feeds));
  int seen[10] = {};
  for (int i = 0; i < 100; ++i) ++seen[feeds.at("label").as<std::int32_t>()[i]];
  for (const int count : seen) CHECK(count > 0);
}

}  // namespace data_idx_test
