// Checkpoint files: what we write reads back, and whatever else is in a file is refused with words.
#include <zlib.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>

#include "data/files/safetensors.h"
#include "data/files/safetensors_header.h"
#include "support/host_tensor.h"
#include "unit/support/file_bytes.h"
#include "unit/support/scratch_folder.h"

namespace data_files_safetensors_test {

using namespace mtfc;
using namespace mtfc::runtime;
using namespace mtfc::test;

namespace {

/// A file with this header and so many bytes behind it.
std::string file_with(const std::string& header, std::size_t data) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(header.size() >> (8 * i) & 255);
  return bytes + header + std::string(data, '\1');
}

/// Why the file is refused; empty if it is not.
std::string refusal(const ScratchFolder& folder, const std::string& bytes) {
  put(folder / "x.safetensors", bytes);
  const auto file = SafetensorsFile::open(folder / "x.safetensors");
  return file ? "" : file.error().message;
}

}  // namespace

TEST_CASE("a file of tensors reads back as it was written", "[safetensors]") {
  const ScratchFolder folder;
  const std::string path = folder / "a.safetensors";
  std::vector<SafetensorsWriter::Entry> entries = {
      {"flag", DType::boolean, {3}}, {"b", DType::bf16, {2, 2}},   {"scalar", DType::f64, {}},
      {"i", DType::i32, {5}},        {"none", DType::f32, {0, 4}}, {"crc32\":\"", DType::f16, {1}}};
  SafetensorsWriter::align(entries);
  CHECK(entries.front().name == "scalar");
  CHECK(entries.back().name == "flag");
  auto writer = SafetensorsWriter::create(path, entries, {{"note", "a \"crc32\":\"\n"}});
  REQUIRE(writer);
  for (const auto& entry : entries) writer->add(counting(entry.dtype, entry.extents));
  REQUIRE(writer->finish());
  const auto file = SafetensorsFile::open(path);
  REQUIRE(file);
  CHECK(file->metadata().at("note") == "a \"crc32\":\"\n");
  REQUIRE(file->verify());
  for (const auto& entry : entries) {
    INFO(entry.name);
    const StoredTensor* stored = file->find(entry.name);
    REQUIRE(stored != nullptr);
    CHECK(stored->begin % size_of(entry.dtype) == 0);
    const auto value = file->read(*stored);
    REQUIRE(value);
    CHECK(value->dtype == entry.dtype);
    CHECK(value->extents == entry.extents);
    CHECK(value->data == counting(entry.dtype, entry.extents).data);
  }
}

TEST_CASE("hostile headers are refused, each with its reason", "[safetensors]") {
  const ScratchFolder folder;
  const auto tensor = [](const std::string& fields) { return "{\"w\":{" + fields + "}}"; };
  const std::string w = "\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]";
  CHECK(refusal(folder, file_with(tensor(w), 8)).empty());
  CHECK(refusal(folder, file_with("{}", 0)).empty());
  CHECK(refusal(folder, file_with(tensor(w) + "   ", 8)).empty());
  const auto refused = [&](const std::string& bytes, const std::string& reason) {
    const std::string found = refusal(folder, bytes);
    INFO(bytes.substr(std::min<std::size_t>(8, bytes.size()), 100) << "\n" << found);
    CHECK(found.find(reason) != std::string::npos);
  };
  refused("", "only 0 bytes");
  refused(std::string(8, '\xff'), "18446744073709551615 bytes");
  refused(file_with(tensor(w), 8).substr(0, 20), "cut off within its header");
  refused(file_with(tensor(w), 7), "1 of 8 bytes of tensors are missing");
  refused(file_with(tensor(w), 9), "belong to no tensor");
  refused(file_with("", 0), "is not JSON");
  refused(file_with("[]", 0), "a list where none may stand");
  refused(file_with("{\"w\":3}", 0), "a number where none may stand");
  refused(file_with("{\"w\":{}}", 0), "lacks its type, shape or place");
  refused(file_with(std::string(1000000, '['), 0), "a list where none may stand");
  std::string deep = "{\"w\":";
  for (int i = 0; i < 100000; ++i) deep += "{\"w\":";
  refused(file_with(deep, 0), "unknown field");
  refused(file_with("{\"__metadata__\":{\"a\":{}}}", 0), "an object where none may stand");
  refused(file_with("{\"__metadata__\":{\"a\":\"\",\"a\":\"\"}}", 0), "names `a` twice");
  refused(file_with("{\"__metadata__\":{},\"__metadata__\":{}}", 0), "named twice");
  refused(file_with("{\"w\":{" + w + "},\"w\":{" + w + "}}", 8), "`w` is named twice");
  refused(file_with("{\"w\":{" + w + "},\"v\":{" + w + "}}", 8), "overlaps");
  refused(file_with(tensor("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,16]"), 16),
          "a hole");
  refused(file_with(tensor("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,0]"), 8),
          "its shape");
  refused(file_with(tensor("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8,9]"), 8),
          "more than two offsets");
  refused(file_with(tensor("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[-1,7]"), 8),
          "a negative number");
  refused(file_with(tensor("\"dtype\":\"F32\",\"shape\":[2.5],\"data_offsets\":[0,8]"), 8),
          "a broken number");
  refused(file_with(tensor("\"dtype\":\"F99\",\"shape\":[2],\"data_offsets\":[0,8]"), 8),
          "unknown type `F99`");
  refused(file_with(tensor(w + ",\"dtype\":\"F32\""), 8), "its dtype twice");
  const std::string huge = "4611686018427387904";
  refused(
      file_with(tensor("\"dtype\":\"F32\",\"shape\":[" + huge + ",4],\"data_offsets\":[0,0]"), 0),
      "does not hold its shape");
  refused(file_with(tensor("\"dtype\":\"F32\",\"shape\":[" + huge + "," + huge +
                           ",0],\"data_offsets\":[0,0]"),
                    0),
          "does not hold its shape");
  refused(file_with(tensor("\"dtype\":\"F32\",\"shape\":[18446744073709551615],"
                           "\"data_offsets\":[0,18446744073709551612]"),
                    0),
          "larger than any memory");
  std::string many = "\"dtype\":\"F32\",\"data_offsets\":[0,4],\"shape\":[1";
  for (int i = 0; i < 100; ++i) many += ",1";
  refused(file_with(tensor(many + "]"), 4), "more than 64 dimensions");
  refused(file_with("{\"\xff\":{}}", 0), "is not JSON");
  CHECK_FALSE(SafetensorsFile::open(folder.path()));
  CHECK_FALSE(SafetensorsFile::open("/dev/null"));
  CHECK_FALSE(SafetensorsFile::open(folder / "none"));
}

TEST_CASE("damaged headers never do more than be refused", "[safetensors]") {
  const std::string good =
      "{\"__metadata__\":{\"a\":\"b\"},\"w\":{\"dtype\":\"F32\",\"shape\":[2,3],"
      "\"data_offsets\":[0,24]},\"v\":{\"dtype\":\"I64\",\"shape\":[],\"data_offsets\":[24,32]}}";
  REQUIRE(safetensors::parse_header(good, 32).wrong.empty());
  std::mt19937 random(1);
  const std::string letters = "{}[]\":,0123456789-.eE \\u\n\xff" + std::string(1, '\0');
  for (int turn = 0; turn < 20000; ++turn) {
    std::string text = good;
    for (unsigned edits = random() % 4 + 1; edits > 0; --edits) {
      const std::size_t at = random() % text.size();
      const char letter = letters[random() % letters.size()];
      if (random() % 3 == 0)
        text.erase(at, random() % 9);
      else if (random() % 2 == 0)
        text.insert(at, 1, letter);
      else
        text[at] = letter;
    }
    const auto parsed = safetensors::parse_header(text, 32);
    if (!parsed.wrong.empty()) continue;
    std::uint64_t end = 0;
    for (const StoredTensor& tensor : parsed.header.tensors) end = std::max(end, tensor.end);
    REQUIRE(end == 32);
  }
}

TEST_CASE("blocks that several processes write make the file that one writes", "[safetensors]") {
  const ScratchFolder folder;
  const std::vector<SafetensorsWriter::Entry> entries = {{"cube", DType::f32, {4, 6, 5}},
                                                         {"line", DType::i32, {8}}};
  HostTensor cube = HostTensor::zeros(DType::f32, {4, 6, 5});
  for (std::int64_t i = 0; i < cube.elements(); ++i) set_element(cube, i, double(i));
  const HostTensor line = counting(DType::i32, {8});
  auto alone = SafetensorsWriter::create(folder / "alone", entries, {{"a", "b"}});
  REQUIRE(alone);
  alone->add(cube);
  alone->add(line);
  REQUIRE(alone->finish());

  const auto part = [](const HostTensor& whole, const Block& block) {
    HostTensor made = HostTensor::zeros(whole.dtype, block.extents);
    for_each_run(whole.extents, block, [&](std::int64_t from, std::int64_t to, std::int64_t n) {
      std::copy_n(whole.data.begin() + from * 4, n * 4, made.data.begin() + to * 4);
    });
    return made;
  };
  // Cut along the first, the middle, and the last dimension.
  const std::vector<std::vector<Block>> cuts = {
      {{{0, 0, 0}, {3, 6, 5}}, {{3, 0, 0}, {1, 6, 5}}},
      {{{0, 0, 0}, {4, 2, 5}}, {{0, 2, 0}, {4, 3, 5}}, {{0, 5, 0}, {4, 1, 5}}},
      {{{0, 0, 0}, {4, 3, 2}},
       {{0, 0, 2}, {4, 3, 3}},
       {{0, 3, 0}, {4, 3, 2}},
       {{0, 3, 2}, {4, 3, 3}}}};
  for (const std::vector<Block>& blocks : cuts) {
    auto root = SafetensorsWriter::create(folder / "together", entries, {{"a", "b"}});
    REQUIRE(root);
    std::vector<std::uint32_t> sums(entries.size(), 0);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      std::optional<SafetensorsWriter> other;
      if (i > 0) {
        auto joined = SafetensorsWriter::join(folder / "together", entries, root->meeting());
        REQUIRE(joined);
        other.emplace(std::move(*joined));
      }
      SafetensorsWriter& writer = other ? *other : *root;
      writer.add(0, blocks[i], part(cube, blocks[i]));
      if (i + 1 == blocks.size()) writer.add(1, Block::whole({8}), line);
      if (other) REQUIRE(other->close());
      for (std::size_t e = 0; e < sums.size(); ++e) sums[e] ^= writer.sums()[e];
    }
    CHECK_FALSE(std::filesystem::exists(folder / "together"));
    REQUIRE(root->finish(sums));
    CHECK(bytes_of(folder / "together") == bytes_of(folder / "alone"));
    const auto file = SafetensorsFile::open(folder / "together");
    REQUIRE(file);
    REQUIRE(file->verify());
    for (const Block& block : blocks)
      CHECK(file->read(*file->find("cube"), block)->data == part(cube, block).data);
    std::filesystem::remove(folder / "together");
  }
}

}  // namespace data_files_safetensors_test
