// Checkpoints: every byte is covered, what is kept in a folder, what fits a model.
#include <zlib.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>

#include "data/files/safetensors.h"
#include "data/files/safetensors_header.h"
#include "support/host_tensor.h"
#include "train/checkpoint/folder.h"
#include "train/checkpoint/index.h"
#include "train/loop/finite.h"
#include "unit/support/file_bytes.h"
#include "unit/support/scratch_folder.h"

namespace train_checkpoints_test {

using namespace mtfc;
using namespace mtfc::runtime;
using namespace mtfc::test;

namespace {

/// Two tensors and an accumulator.
class Few : public Engine {
 public:
  std::map<std::string, HostTensor, std::less<>> values = {
      {"w", counting(DType::f32, {2, 3})},
      {"m", counting(DType::f64, {3})},
      {"eval.0.sum", counting(DType::f64, {})}};
  bool has_program(std::string_view) const override { return false; }
  void run(std::string_view, const Feeds&, std::vector<Fetched>&) override {}
  std::vector<VariableInfo> variables() const override {
    return {{"w", "parameter", DType::f32, {2, 3}, {"a", "b"}},
            {"m", "optimizer", DType::f64, {3}, {"b"}},
            {"eval.0.sum", "accumulator", DType::f64, {}, {}}};
  }
  HostTensor variable(std::string_view path) override { return values.find(path)->second; }
  void set_variable(std::string_view path, const HostTensor& value) override {
    values.find(path)->second = value;
  }
  Counters counters(std::string_view) const override { return {}; }
};

CheckpointRecord record() {
  CheckpointRecord record;
  record.version = "1.2.3";
  record.model = {"m.mtf",
                  {{"/x/m.mtf", "dim a = 2\n\"quoted\" \t"}, {"library/nn.mtf", ""}},
                  {{"a", "2"}},
                  {{"train.steps", "7"}},
                  "adam"};
  record.seed = -5;
  record.tokens = {{"text", "[\"a\"]"}};
  record.state = {250, 0.1f, 1.0 / 3, true, true, {{"accuracy", 0.75}, {"odd", INFINITY}}};
  return record;
}

}  // namespace

TEST_CASE("every byte of a checkpoint is covered by a checksum", "[checkpoints]") {
  const ScratchFolder folder;
  const std::string path = folder / "a.safetensors";
  Few engine;
  REQUIRE(save_checkpoint(engine, path, record()));
  const std::string good = bytes_of(path);
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 4);
    put(path, bad);
    const auto found = find_checkpoint(path);
    INFO("byte " << at << " of " << good.size());
    REQUIRE_FALSE(found);
  }
  for (std::size_t size = 0; size < good.size(); size += 7) {
    put(path, good.substr(0, size));
    REQUIRE_FALSE(find_checkpoint(path));
  }
  put(path, good + "x");
  REQUIRE_FALSE(find_checkpoint(path));
  std::string bad = good;
  bad.back() = static_cast<char>(bad.back() ^ 1);
  put(path, bad);
  CHECK(find_checkpoint(path).error().message ==
        "`" + path + "` is damaged: tensor `w` does not match its checksum");
  put(path, good);
  REQUIRE(find_checkpoint(path));
}

TEST_CASE("a record reads back from the metadata", "[checkpoints]") {
  CheckpointRecord before = record();
  before.length = 1000;
  const auto after = to_record(to_metadata(before), "f");
  REQUIRE(after);
  CHECK(after->length == 1000);
  CHECK(after->version == before.version);
  CHECK(after->seed == -5);
  CHECK(after->model.path == before.model.path);
  CHECK(after->model.files == before.model.files);
  CHECK(after->model.defines == before.model.defines);
  CHECK(after->model.settings == before.model.settings);
  CHECK(after->tokens == before.tokens);
  CHECK(after->state.steps == 250);
  CHECK(after->state.loss == before.state.loss);
  CHECK(after->state.eval_loss == before.state.eval_loss);
  CHECK(after->state.evaluated);
  CHECK(after->state.evaluated_now);
  REQUIRE(after->state.metrics.size() == 2);
  CHECK(after->state.metrics[0] == before.state.metrics[0]);
  Metadata older = to_metadata(before);
  older.erase("length");
  REQUIRE(to_record(older, "f"));
  CHECK(to_record(older, "f")->length == 0);
  // Metadata that is not ours, or was ours and is broken.
  CHECK(to_record({{"format", "pt"}}, "f")->state.steps == -1);
  for (const auto& [key, text] : Metadata{{"step", "-3"},
                                          {"step", "1e9"},
                                          {"seed", "99999999999999999999"},
                                          {"schema", "2"},
                                          {"defines", "[1]"},
                                          {"files", "{\"a\":{}}"},
                                          {"dims", "{\"w\":3}"},
                                          {"kinds", std::string(100000, '[')},
                                          {"state", "{"}}) {
    Metadata metadata = to_metadata(before);
    metadata[key] = text;
    INFO(key << " " << text.substr(0, 20));
    CHECK_FALSE(to_record(metadata, "f"));
  }
}

TEST_CASE("a folder keeps the newest checkpoints and finds the newest good one", "[checkpoints]") {
  const ScratchFolder folder;
  Few engine;
  CheckpointKeeper keeper(folder.path(), 2, record());
  REQUIRE(keeper.prepare(-1));
  TrainState state;
  for (state.steps = 0; state.steps < 40; state.steps += 10) REQUIRE(keeper.save(engine, state));
  const auto files = checkpoints_in(folder.path());
  REQUIRE(files.size() == 2);
  CHECK(files[0].step == 30);
  CHECK(files[1].step == 20);
  CHECK(find_checkpoint(folder.path())->checkpoint.record.state.steps == 30);
  // Another run does not mix its checkpoints with these; this one goes on.
  CHECK_FALSE(keeper.prepare(-1));
  CHECK_FALSE(keeper.prepare(20));
  CHECK(keeper.prepare(30));
  // The newest is cut: the older one is found, or offered.
  put(files[0].path, bytes_of(files[0].path).substr(0, 500));
  const auto found = find_checkpoint(folder.path());
  REQUIRE(found);
  CHECK(found->checkpoint.record.state.steps == 20);
  CHECK(found->damaged.size() == 1);
  const auto named = find_checkpoint(files[0].path);
  REQUIRE_FALSE(named);
  REQUIRE(named.error().helps.size() == 1);
  CHECK(named.error().helps[0].ends_with("step-00000020.safetensors"));
  // Going on from it puts the damaged one aside, and what an interrupted write left is gone.
  put(files[1].path + ".writing-123", "half");
  REQUIRE(keeper.prepare(20));
  CHECK(checkpoints_in(folder.path()).size() == 1);
  CHECK(std::filesystem::exists(files[0].path + ".damaged"));
  CHECK_FALSE(std::filesystem::exists(files[1].path + ".writing-123"));
}

TEST_CASE("a checkpoint sets what fits and says what does not", "[checkpoints]") {
  const ScratchFolder folder;
  const std::string path = folder / "a.safetensors";
  Few engine;
  REQUIRE(save_checkpoint(engine, path, record()));
  const auto found = find_checkpoint(path);
  REQUIRE(found);
  const Checkpoint& checkpoint = found->checkpoint;
  CHECK(checkpoint.tensors.find("eval.0.sum") == nullptr);
  Few fresh;
  for (auto& [name, value] : fresh.values)
    std::fill(value.data.begin(), value.data.end(), std::byte{});
  REQUIRE(load_checkpoint(fresh, checkpoint, Load::weights));
  CHECK(fresh.values.at("w").data == engine.values.at("w").data);
  CHECK(fresh.values.at("m").data != engine.values.at("m").data);
  REQUIRE(load_checkpoint(fresh, checkpoint, Load::everything));
  CHECK(fresh.values.at("m").data == engine.values.at("m").data);

  struct Other : Few {
    std::vector<VariableInfo> variables() const override {
      return {{"w", "parameter", DType::f32, {2, 4}, {"a", "b"}},
              {"m", "optimizer", DType::bf16, {3}, {"b"}},  // another float: converted
              {"extra", "state", DType::f32, {}, {}}};
    }
  } other;
  const auto wrong = misfits(other, checkpoint, Load::everything);
  REQUIRE(wrong.size() == 2);
  CHECK(misfit_text(checkpoint, wrong[0]) ==
        "parameter `w` is f32[a=2, b=3] in `" + path + "`, f32[a=2, b=4] in the model");
  CHECK(misfit_text(checkpoint, wrong[1]) == "state `extra` is not in `" + path + "`");
}

TEST_CASE("what is not finite is found in every kind of variable, and kept apart",
          "[checkpoints]") {
  const ScratchFolder folder;
  Few engine;
  CHECK_FALSE(find_not_finite(engine));
  set_element(engine.values.at("m"), 0, -INFINITY);
  CHECK(find_not_finite(engine) == "optimizer state `m` is infinite");
  engine.values.at("w").as<float>()[1] = INFINITY;
  CHECK(find_not_finite(engine) == "parameter `w` is infinite");
  engine.values.at("w").as<float>()[2] = NAN;
  CHECK(find_not_finite(engine) == "parameter `w` is not a number");
  CheckpointKeeper keeper(folder.path(), 1, record());
  REQUIRE(keeper.prepare(-1));
  TrainState state;
  state.steps = 7;
  const auto apart = keeper.save_apart(engine, state);
  REQUIRE(apart);
  CHECK(apart->ends_with("/checkpoints/not-finite-00000007.safetensors"));
  CHECK(find_checkpoint(*apart));               // if it is named
  CHECK_FALSE(find_checkpoint(folder.path()));  // never by itself
  CHECK(keeper.prepare(-1));
}

TEST_CASE("a checkpoint in a folder: the same, and every byte is covered, too", "[checkpoints]") {
  const ScratchFolder folder;
  const std::string path = folder / "step-00000250";
  Few engine;
  REQUIRE(save_checkpoint(engine, path, record(), CheckpointForm::sharded));
  REQUIRE(save_checkpoint(engine, path, record(), CheckpointForm::sharded));  // again, in its place
  const auto found = find_checkpoint(path);
  REQUIRE(found);
  CHECK(found->checkpoint.record.state.steps == 250);
  CHECK(found->checkpoint.record.model.files == record().model.files);
  Few fresh;
  for (auto& [name, value] : fresh.values)
    std::fill(value.data.begin(), value.data.end(), std::byte{});
  REQUIRE(load_checkpoint(fresh, found->checkpoint, Load::everything));
  CHECK(fresh.values.at("w").data == engine.values.at("w").data);
  CHECK(fresh.values.at("m").data == engine.values.at("m").data);
  for (const char* name : {"/index.json", "/part-00000.safetensors"}) {
    const std::string good = bytes_of(path + name);
    for (std::size_t at = 0; at < good.size(); ++at) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ 4);
      put(path + name, bad);
      INFO(name << " byte " << at << " of " << good.size());
      REQUIRE_FALSE(find_checkpoint(path));
    }
    for (std::size_t size = 0; size < good.size(); size += 7) {
      put(path + name, good.substr(0, size));
      REQUIRE_FALSE(find_checkpoint(path));
    }
    put(path + name, good);
    REQUIRE(find_checkpoint(path));
  }
  std::filesystem::remove(path + "/part-00000.safetensors");
  CHECK_FALSE(find_checkpoint(path));
}

TEST_CASE("hostile indices are refused, each with its reason", "[checkpoints]") {
  const ScratchFolder folder;
  const auto refused = [&](const std::string& rest, const std::string& reason) {
    std::string text = "{\"crc32\":\"00000000\"," + rest + "}";
    char sum[16];
    std::snprintf(sum, sizeof sum, "%08lx",
                  ::crc32(0, reinterpret_cast<const Bytef*>(text.data()), unsigned(text.size())));
    text.replace(10, 8, sum);
    put(folder / "index.json", text);
    const auto index = read_index(folder.path());
    INFO(rest);
    CHECK((index ? "accepted" : index.error().message).find(reason) != std::string::npos);
  };
  const std::string head = R"("format":"mtfc.sharded","schema":1,"metadata":{},)";
  const std::string file = R"("files":[{"name":"part-00000.safetensors","crc32":"12345678"}],)";
  const auto tensor = [&](const std::string& shape, const std::string& pieces) {
    return head + file + R"("tensors":{"w":{"dtype":"F32","shape":)" + shape + R"(,"pieces":[)" +
           pieces + "]}}";
  };
  const std::string whole = R"({"file":0,"begin":[0],"shape":[4]})";
  refused(tensor("[4]", whole), "accepted");
  refused(tensor("[4]", ""), "not the whole");
  refused(tensor("[4]", whole + "," + whole), "not the whole");
  const std::string large = R"({"file":0,"begin":[0],"shape":[2305843009213693951]})";
  refused(tensor("[2305843009213693951]", large + "," + large + "," + large + "," + large),
          "not the whole");
  refused(tensor("[4]", R"({"file":1,"begin":[0],"shape":[4]})"), "in no file");
  refused(tensor("[4]", R"({"file":-1,"begin":[0],"shape":[4]})"), "in no file");
  refused(tensor("[4]", R"({"file":0,"begin":[1],"shape":[4]})"), "outside");
  refused(tensor("[4]", R"({"file":0,"begin":[4611686018427387903],"shape":[4]})"), "outside");
  refused(tensor("[4]", R"({"file":0,"begin":[0,0],"shape":[4,1]})"), "outside");
  refused(tensor("[4]", R"({"begin":[0],"shape":[4]})"), "not as it should be");
  refused(tensor("[-4]", whole), "is not a list of sizes");
  refused(tensor("[4611686018427387904,4]", whole), "larger than any memory");
  refused(tensor("[18446744073709551615]", whole), "is not a list of sizes");
  refused(tensor("{}", whole), "is not a list of sizes");
  refused(head + R"("files":[{"name":"../x","crc32":""}],"tensors":{})", "names of parts");
  refused(head + R"("files":3,"tensors":{})", "not as it should be");
  refused(head + R"("files":[],"tensors":{"w":{"dtype":"F99","shape":[],"pieces":[]}})",
          "unknown type");
  refused(R"("format":"x")", "not written by mtfc");
  refused(R"("format":"mtfc.sharded","schema":2)", "another version");
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "[";
  refused("\"a\":" + deep, "not as it should be");
}

}  // namespace train_checkpoints_test
