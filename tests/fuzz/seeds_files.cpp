#include <filesystem>

#include "backends/execute/simulator.h"
#include "data/files/npz.h"
#include "fuzz/case.h"
#include "fuzz/seeds.h"
#include "train/checkpoint/checkpoint.h"

namespace mtfc::fuzz {

namespace {

namespace fs = std::filesystem;
using runtime::HostTensor;

std::string text_of(const runtime::Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

runtime::CheckpointRecord record() {
  runtime::CheckpointRecord record;
  record.version = "1.2.3";
  record.model = {"m.mtf", {{"/x/m.mtf", "dim a = 2\n"}}, {{"a", "2"}}, {{"train.steps", "7"}}};
  record.seed = -5;
  record.tokens = {{"text", "[\"a\"]"}};
  record.state = {250, 0.5, 0.25, true, true, {{"accuracy", 0.75}}};
  return record;
}

/// Of a model with parameters of several types, in both forms.
void add_checkpoints(std::vector<Seed>& all) {
  const Case c =
      check(sections_of("dim a = 4, b = 3\ninput x[a] from gaussian(seed=1)\n"
                        "param w[a, b] ~ normal(1)\nparam s[b] = 1\n"
                        "loss mean(einsum(x, w over a) * s)\n"
                        "train { optimizer = adam(lr=0.1)  steps = 1 }\n"));
  backends::Simulator simulator(std::move(lower(c).made.module), {1, false});
  const std::string file = scratch_folder() + "/one", folder = scratch_folder() + "/many";
  if (!save_checkpoint(simulator, file, record()) ||
      !save_checkpoint(simulator, folder, record(), CheckpointForm::sharded))
    wrong("a checkpoint is not written");
  const std::string bytes = file_text(file);
  all.push_back({"checkpoint", "ours", bytes});
  // Without its checksums, as other programs write it, so that changes get further.
  std::string plain = bytes;
  for (std::size_t at = 0; (at = plain.find("\"crc32", at)) != plain.npos; ++at)
    plain[at + 1] = 'x';
  all.push_back({"checkpoint", "plain", plain});
  std::string input = file_text(folder + "/index.json");
  for (int number = 0; fs::exists(folder + "/" + runtime::part_name(number)); ++number)
    input += "\n%%" + runtime::part_name(number) + "\n" +
             file_text(folder + "/" + runtime::part_name(number));
  all.push_back({"index", "ours", input});
  fs::remove_all(folder);
}

HostTensor counting(DType dtype, std::vector<std::int64_t> extents) {
  HostTensor tensor = HostTensor::zeros(dtype, std::move(extents));
  for (std::int64_t i = 0; i < tensor.elements(); ++i)
    set_element(tensor, i, static_cast<double>(i % 10));
  return tensor;
}

std::string idx(const std::vector<int>& extents) {
  std::string text("\0\0\x08", 3);
  int elements = 1;
  text += static_cast<char>(extents.size());
  for (const int extent : extents) {
    text += std::string("\0\0\0", 3) + static_cast<char>(extent);
    elements *= extent;
  }
  for (int i = 0; i < elements; ++i) text += static_cast<char>(i % 10);
  return text;
}

void add_arrays(std::vector<Seed>& all) {
  std::string digits = "idx";
  for (const std::string part : {"train", "t10k"})
    digits += "\n%%" + part + "-images-idx3-ubyte\n" + idx({6, 3, 2}) + "\n%%" + part +
              "-labels-idx1-ubyte\n" + idx({6});
  all.push_back({"arrays", "idx", digits});
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::i32, DType::boolean}) {
    const std::string x = text_of(runtime::npy_bytes(counting(dtype, {12, 3})));
    const std::string y = text_of(runtime::npy_bytes(counting(DType::i32, {12})));
    all.push_back(
        {"arrays", "npy-" + std::string(name(dtype)), "npy\n%%x.npy\n" + x + "\n%%y.npy\n" + y});
  }
  const std::string path = scratch_folder() + "/seed.npz";
  auto writer = runtime::NpzWriter::create(path);
  if (!writer) wrong("an archive is not written");
  writer->add("a", counting(DType::f32, {12, 3}));
  writer->add("b", counting(DType::i32, {12}));
  writer->add("names", std::vector<std::string>{"a", "bc"});
  if (!writer->finish()) wrong("an archive is not written");
  all.push_back({"arrays", "npz", "npz\n%%x.npz\n" + file_text(path)});
  all.push_back(
      {"arrays", "csv", "csv\n%%x.csv\na,b,c\n" + repeated("1.5,2,\"x y\"\n-2e3,9,z\n", 6)});
}

void add_texts(std::vector<Seed>& all) {
  const std::string words = repeated("the ethe\nthé é a\n", 8);
  const std::string bpe =
      "\n%%vocab\n{\"t\": 0, \"h\": 1, \"e\": 2, \"th\": 3, \"the\": 4, \"Ġ\": 5, "
      "\"Ġthe\": 6}\n%%merges\n#version: 0.2\nt h\nth e\nĠ the\n";
  const std::string list = "\n%%vocab\n[PAD]\n[UNK]\n[CLS]\n[SEP]\na\nb\n##c\né\n";
  const std::string ids = repeated(std::string("\x01\x00\x02\x01", 4), 12);
  int number = 0;
  const auto add = [&](const std::string& function, const std::string& rest) {
    all.push_back({"texts", function + "-" + std::to_string(++number), function + rest});
  };
  for (const char* function : {"chars", "bytes"}) add(function, "\n%%text\n" + words);
  add("bpe", "\n%%text\n" + repeated("the the", 12) + bpe);
  add("tokens", " bits=2\n%%text\n" + ids + "\n%%eval\n" + ids);
  add("tokens", " bits=1\n%%text\n" + ids);
  add("tokens", " bits=4\n%%text\n" + repeated(ids, 2) + bpe);
  add("tsv", " too_long=trim\n%%text\n" + repeated("a b\tc\nd\te f g\n", 8));
  add("tsv", " tokens=chars pack too_long=skip\n%%text\n" + repeated("a b\tc\nd\te\n", 8));
  add("lines", " pack too_long=skip tokens=bpe\n%%text\n" + repeated("the\nthe the\n", 8) + bpe);
  add("lines", " too_long=trim tokens=wordpiece\n%%text\n" + repeated("ab ac\nb\n", 8) + list);
  add("lines", "\n%%text\n" + words + "\n%%eval\nthe é\n");
  add("bert_pairs", "\n%%text\n" + repeated("a b\nac b\n\nb é\n\n", 8) + list);
}

void add_json(std::vector<Seed>& all) {
  const runtime::TokenTable table{
      runtime::TokenTable::Kind::bpe, 2, {"a", "b", "ab", "\xff", "ab\xff"}, {{0, 1}, {2, 3}}};
  all.push_back({"json", "tokens", token_table_text(table)});
  all.push_back(
      {"json", "log", "{\"step\":1,\"loss\":2.5,\"lr\":0.1}\n{\"step\":1,\"eval_loss\":2}\n"});
  std::string sections;
  for (const auto& [key, text] : to_metadata(record())) sections += "\n%%" + key + "\n" + text;
  all.push_back({"json", "record", sections});
}

}  // namespace

void add_file_seeds(std::vector<Seed>& all) {
  add_checkpoints(all);
  add_arrays(all);
  add_texts(all);
  add_json(all);
}

}  // namespace mtfc::fuzz
