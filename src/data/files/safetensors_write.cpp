#include <unistd.h>

#include <algorithm>

#include "data/files/crc32.h"
#include "data/files/safetensors.h"
#include "data/files/safetensors_words.h"
#include "support/check.h"
#include "support/json.h"

namespace mtfc::runtime {

using namespace safetensors;

namespace safetensors {

std::string digits_of(std::uint32_t sum) {
  std::string digits;
  for (int shift = 28; shift >= 0; shift -= 4) digits += "0123456789abcdef"[sum >> shift & 15];
  return digits;
}

namespace {

constexpr Word words[] = {
    {"F32", 4, DType::f32}, {"F64", 8, DType::f64},
    {"F16", 2, DType::f16}, {"BF16", 2, DType::bf16},
    {"I32", 4, DType::i32}, {"BOOL", 1, DType::boolean},
    {"I64", 8, {}},         {"U64", 8, {}},
    {"U32", 4, {}},         {"I16", 2, {}},
    {"U16", 2, {}},         {"I8", 1, {}},
    {"U8", 1, {}},          {"F8_E5M2", 1, {}},
    {"F8_E4M3", 1, {}},
};

}  // namespace

const Word* find_word(std::string_view word) {
  for (const Word& known : words)
    if (known.word == word) return &known;
  return nullptr;
}

}  // namespace safetensors

namespace {

/// A process's share of the CRC-32 of bytes of which it has some runs. The CRC of A followed by B
/// is that of A, advanced by B's length, exclusive-or that of B (zlib's crc32_combine); so the CRC
/// of the whole is the exclusive or of all runs', each advanced by what follows it.
class ShareOfSum {
 public:
  /// A run that ends before byte `end`; runs ascend.
  void add(std::int64_t end, std::uint32_t sum) { sum_ = advanced(end) ^ sum; }
  std::uint32_t of(std::int64_t bytes) { return sum_ = advanced(bytes); }

 private:
  std::uint32_t advanced(std::int64_t end) {
    if (end - end_ != step_) {
      step_ = end - end_;
      advance_ = ::crc32_combine_gen(step_);
    }
    end_ = end;
    return static_cast<std::uint32_t>(::crc32_combine_op(sum_, 0, advance_));
  }

  std::uint32_t sum_ = 0;
  std::int64_t end_ = 0, step_ = -1;
  uLong advance_ = 0;
};

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
  std::string text = "{" + json(metadata_key) + ":{";
  for (const auto& [key, value] : metadata) {
    if (text.back() != '{') text += ',';
    text += json(key) + ":" + json(value);
  }
  text += '}';
  std::uint64_t begin = 0;
  for (const SafetensorsWriter::Entry& entry : entries) {
    const std::uint64_t end = begin + bytes_of(entry);
    text += "," + json(entry.name) + ":{\"dtype\":\"" + std::string(safetensors_word(entry.dtype)) +
            "\",\"shape\":" + list(entry.extents) + ",\"data_offsets\":[" + std::to_string(begin) +
            "," + std::to_string(end) + "]}";
    begin = end;
  }
  return text + "}";
}

}  // namespace

std::string_view safetensors_word(DType dtype) {
  for (const Word& known : words)
    if (known.dtype == dtype) return known.word;
  MTFC_CHECK(false, "an element type without a word");
}

void SafetensorsWriter::align(std::vector<Entry>& entries) {
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return size_of(a.dtype) > size_of(b.dtype);
  });
}

Result<SafetensorsWriter> SafetensorsWriter::create(std::string path, std::vector<Entry> entries,
                                                    Metadata metadata) {
  std::string json = header_json(entries, std::move(metadata));
  // The tensors begin at a multiple of 64, as memory maps like it; blanks are allowed there.
  json.resize((json.size() + length_size + 63) / 64 * 64 - length_size, ' ');
  if (json.size() > largest_header)
    return Error{"`" + path + "` would need a header of more than 100 MB", {}, {}};
  std::uint64_t size = length_size + json.size();
  for (const Entry& entry : entries) size += bytes_of(entry);
  std::string name = unfinished_name(path);
  Result<OffsetFile> file = OffsetFile::create(path, name, static_cast<std::int64_t>(size));
  if (!file) return file.error();
  SafetensorsWriter writer(std::move(path), std::move(name), std::move(*file), std::move(entries));
  for (std::size_t i = 0; i < length_size; ++i)
    writer.header_ += static_cast<char>(json.size() >> (8 * i) & 255);
  writer.header_ += json;
  writer.data_ = static_cast<std::int64_t>(writer.header_.size());
  return writer;
}

Result<SafetensorsWriter> SafetensorsWriter::join(std::string path, std::vector<Entry> entries,
                                                  const Meeting& meeting) {
  Result<OffsetFile> file = OffsetFile::join(path, meeting.name);
  if (!file) return file.error();
  SafetensorsWriter writer(std::move(path), "", std::move(*file), std::move(entries));
  writer.data_ = meeting.data;
  return writer;
}

SafetensorsWriter::SafetensorsWriter(std::string path, std::string name, OffsetFile file,
                                     std::vector<Entry> entries)
    : path_(std::move(path)),
      name_(std::move(name)),
      file_(std::move(file)),
      entries_(std::move(entries)),
      sums_(entries_.size(), 0) {
  std::uint64_t offset = 0;
  for (const Entry& entry : entries_) {
    offsets_.push_back(static_cast<std::int64_t>(offset));
    offset += bytes_of(entry);
  }
}

SafetensorsWriter::~SafetensorsWriter() {
  if (!name_.empty()) ::unlink(name_.c_str());
}

void SafetensorsWriter::add(std::size_t i, const Block& block, const HostTensor& values) {
  MTFC_CHECK(i < entries_.size() && values.dtype == entries_[i].dtype &&
                 values.extents == block.extents &&
                 block.begin.size() == entries_[i].extents.size(),
             "a tensor is not the one that was announced");
  const auto size = static_cast<std::int64_t>(size_of(values.dtype));
  const auto all = static_cast<std::int64_t>(bytes_of(entries_[i]));
  ShareOfSum share;
  for_each_run(entries_[i].extents, block,
               [&](std::int64_t offset, std::int64_t from, std::int64_t count) {
                 const auto run = std::span(values.data)
                                      .subspan(static_cast<std::size_t>(from * size),
                                               static_cast<std::size_t>(count * size));
                 file_.write(data_ + offsets_[i] + offset * size, run);
                 share.add((offset + count) * size, crc32_of(run));
               });
  sums_[i] = share.of(all);
}

void SafetensorsWriter::patch(const std::string& key, const std::string& digits) {
  // Quotes within values are escaped, so this is the key itself.
  const std::string before = "\"" + key + "\":\"";
  const std::size_t at = header_.find(before) + before.size();
  header_.replace(at, digits.size(), digits);
}

Status SafetensorsWriter::finish(const std::vector<std::uint32_t>& sums) {
  std::string digits;
  for (const std::uint32_t sum : sums) digits += digits_of(sum);
  patch(std::string(tensor_sums_key), digits);
  header_sum_ = digits_of(crc32_of(std::as_bytes(std::span(header_))));
  patch(std::string(header_sum_key), header_sum_);
  file_.write(0, std::as_bytes(std::span<const char>(header_.data(), header_.size())));
  if (Status written = file_.close(); !written) return written;
  if (Status renamed = rename_over(name_, path_); !renamed) return renamed;
  name_.clear();
  return {};
}

}  // namespace mtfc::runtime
