#include <zlib.h>

#include <algorithm>

#include "runtime/files/json_line.h"
#include "runtime/files/safetensors.h"
#include "runtime/files/safetensors_words.h"
#include "support/check.h"

namespace mtfc::runtime {

using namespace safetensors;

namespace safetensors {

std::string digits_of(std::uint32_t sum) {
  std::string digits;
  for (int shift = 28; shift >= 0; shift -= 4) digits += "0123456789abcdef"[sum >> shift & 15];
  return digits;
}

const Word* find_word(std::string_view word) {
  static constexpr Word words[] = {
      {"F32", 4, DType::f32}, {"F64", 8, DType::f64},
      {"F16", 2, DType::f16}, {"BF16", 2, DType::bf16},
      {"I32", 4, DType::i32}, {"BOOL", 1, DType::boolean},
      {"I64", 8, {}},         {"U64", 8, {}},
      {"U32", 4, {}},         {"I16", 2, {}},
      {"U16", 2, {}},         {"I8", 1, {}},
      {"U8", 1, {}},          {"F8_E5M2", 1, {}},
      {"F8_E4M3", 1, {}},
  };
  for (const Word& known : words)
    if (known.word == word) return &known;
  return nullptr;
}

}  // namespace safetensors

namespace {

std::uint32_t sum_of(const void* data, std::size_t size) {
  return static_cast<std::uint32_t>(::crc32_z(0, static_cast<const Bytef*>(data), size));
}

std::uint64_t bytes_of(const SafetensorsWriter::Entry& entry) {
  std::uint64_t bytes = size_of(entry.dtype);
  for (const std::int64_t extent : entry.extents) bytes *= static_cast<std::uint64_t>(extent);
  return bytes;
}

std::string list(const std::vector<std::int64_t>& values) {
  std::string text = "[";
  for (const std::int64_t value : values) {
    if (text.size() > 1) text += ',';
    text += std::to_string(value);
  }
  return text + "]";
}

/// The header's JSON, the checksums still zeros.
std::string header_json(const std::vector<SafetensorsWriter::Entry>& entries, Metadata metadata) {
  metadata[std::string(header_sum_key)] = std::string(sum_digits, '0');
  metadata[std::string(tensor_sums_key)] = std::string(sum_digits * entries.size(), '0');
  std::string json = "{" + json_quoted(metadata_key) + ":{";
  for (const auto& [key, value] : metadata) {
    if (json.back() != '{') json += ',';
    json += json_quoted(key) + ":" + json_quoted(value);
  }
  json += '}';
  std::uint64_t begin = 0;
  for (const SafetensorsWriter::Entry& entry : entries) {
    const std::uint64_t end = begin + bytes_of(entry);
    json += "," + json_quoted(entry.name) + ":{\"dtype\":\"" +
            std::string(safetensors_word(entry.dtype)) + "\",\"shape\":" + list(entry.extents) +
            ",\"data_offsets\":[" + std::to_string(begin) + "," + std::to_string(end) + "]}";
    begin = end;
  }
  return json + "}";
}

}  // namespace

std::string_view safetensors_word(DType dtype) {
  for (const std::string_view word : {"F32", "F64", "F16", "BF16", "I32", "BOOL"})
    if (find_word(word)->dtype == dtype) return word;
  MTFC_CHECK(false, "an element type without a word");
}

void SafetensorsWriter::align(std::vector<Entry>& entries) {
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return size_of(a.dtype) > size_of(b.dtype);
  });
}

Result<SafetensorsWriter> SafetensorsWriter::create(std::string path, std::vector<Entry> entries,
                                                    Metadata metadata) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return file.error();
  std::string json = header_json(entries, std::move(metadata));
  // The tensors begin at a multiple of 64, as memory maps like it; blanks are allowed there.
  json.resize((json.size() + length_size + 63) / 64 * 64 - length_size, ' ');
  if (json.size() > largest_header)
    return Error{"`" + path + "` would need a header of more than 100 MB", {}, {}};
  SafetensorsWriter writer(std::move(*file), std::move(entries));
  for (std::size_t i = 0; i < length_size; ++i)
    writer.header_ += static_cast<char>(json.size() >> (8 * i) & 255);
  writer.header_ += json;
  writer.file_.write(writer.header_);
  return writer;
}

void SafetensorsWriter::add(const HostTensor& tensor) {
  const std::size_t next = sums_.size() / sum_digits;
  MTFC_CHECK(next < entries_.size() && tensor.dtype == entries_[next].dtype &&
                 tensor.extents == entries_[next].extents,
             "a tensor is not the one that was announced");
  file_.write(tensor.data);
  sums_ += digits_of(sum_of(tensor.data.data(), tensor.data.size()));
}

void SafetensorsWriter::patch(const std::string& key, const std::string& digits) {
  // Quotes within values are escaped, so this is the key itself.
  const std::string before = "\"" + key + "\":\"";
  const std::size_t at = header_.find(before) + before.size();
  header_.replace(at, digits.size(), digits);
}

Status SafetensorsWriter::finish() {
  MTFC_CHECK(sums_.size() == entries_.size() * sum_digits, "announced tensors are missing");
  patch(std::string(tensor_sums_key), sums_);
  patch(std::string(header_sum_key), digits_of(sum_of(header_.data(), header_.size())));
  file_.overwrite(0, header_);
  return file_.commit();
}

}  // namespace mtfc::runtime
