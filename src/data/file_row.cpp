#include "data/file_row.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "data/check_input.h"
#include "data/files/random_file.h"
#include "data/table.h"

namespace mtfc::runtime {
namespace {

/// Ids of one file, or of a part of it.
struct FilePart {
  const RandomFile* file = nullptr;
  std::int64_t first = 0, count = 0;  // in ids
};

class FileRow final : public IdRow {
 public:
  FileRow(RandomFile file, std::optional<RandomFile> eval, std::int64_t bytes_of_id)
      : file_(std::move(file)), eval_file_(std::move(eval)), bytes_of_id_(bytes_of_id) {
    parts_[0] = {&file_, 0, file_.size() / bytes_of_id};
    if (eval_file_) parts_[1] = {&*eval_file_, 0, eval_file_->size() / bytes_of_id};
  }
  FileRow(const FileRow&) = delete;

  /// Keeps the ids from `train` on for evaluation.
  void cut(std::int64_t train) {
    parts_[1] = {&file_, train, parts_[0].count - train};
    parts_[0].count = train;
  }

  std::int64_t size(Split split) const override { return part(split).count; }

  /// Looks for the largest id in the first 256 MiB; ids behind are looked at when they are read.
  Status accept(const InputSpec& input) override {
    if (bytes_of_id_ == 1) return check_ids(input, 256, "distinct bytes");
    if (input.ids == 0) return {};
    if (largest_.empty())
      if (Status found = find_largest(); !found) return found;
    return check_ids(input, largest_id_ + 1, largest_);
  }

  Status read(const InputSpec& input, Split split, std::int64_t first, std::int64_t count,
              std::int32_t* to) override {
    const FilePart& from = part(split);
    const std::int64_t byte = (from.first + first) * bytes_of_id_;
    if (Status read = load(from, first, count); !read) return read;
    const std::uint32_t limit = input.ids != 0 ? static_cast<std::uint32_t>(input.ids)
                                               : std::numeric_limits<std::int32_t>::max();
    for (std::int64_t i = 0; i < count; ++i) {
      const std::uint32_t id = id_at(i);
      if (id >= limit) return too_large(input, from.file->path(), id, byte + i * bytes_of_id_);
      to[i] = static_cast<std::int32_t>(id);
    }
    return {};
  }

 private:
  const FilePart& part(Split split) const { return parts_[split == Split::train ? 0 : 1]; }

  Status load(const FilePart& from, std::int64_t first, std::int64_t count) {
    buffer_.resize(static_cast<std::size_t>(count * bytes_of_id_));
    return from.file->read((from.first + first) * bytes_of_id_, buffer_);
  }

  Status find_largest() {
    constexpr std::int64_t most = std::int64_t{1} << 28, chunk = 1 << 18;
    std::int64_t byte = 0;
    std::string path = file_.path();
    for (const FilePart& part : parts_)
      for (std::int64_t at = 0; at < std::min(part.count, most / bytes_of_id_); at += chunk) {
        const std::int64_t now = std::min(chunk, part.count - at);
        if (Status read = load(part, at, now); !read) return read;
        for (std::int64_t i = 0; i < now; ++i)
          if (const std::int64_t id = id_at(i); id > largest_id_) {
            largest_id_ = id;
            byte = (part.first + at + i) * bytes_of_id_;
            path = part.file->path();
          }
      }
    largest_ = "`" + path + "` holds the id " + std::to_string(largest_id_) + " at byte " +
               std::to_string(byte) + ", so the ids need";
    return {};
  }

  std::uint32_t id_at(std::int64_t i) const {
    const std::byte* from = buffer_.data() + i * bytes_of_id_;
    std::uint32_t id = 0;
    for (std::int64_t k = 0; k < bytes_of_id_; ++k)
      id |= std::to_integer<std::uint32_t>(from[k]) << (8 * k);
    return id;
  }

  static Error too_large(const InputSpec& input, const std::string& path, std::uint32_t id,
                         std::int64_t byte) {
    const std::string what =
        "`" + path + "`, byte " + std::to_string(byte) + ": the id " + std::to_string(id);
    if (input.ids == 0) return {what + " is beyond ids of 31 bits", {}, input.name};
    return {what + " is not an index of " + input.ids_dim + " = " + std::to_string(input.ids),
            {"-D " + input.ids_dim + "=" + std::to_string(std::int64_t{id} + 1)},
            input.name};
  }

  RandomFile file_;
  std::optional<RandomFile> eval_file_;
  std::int64_t bytes_of_id_;
  FilePart parts_[2];  // train, eval; they point to the files above
  std::int64_t largest_id_ = -1;
  std::string largest_;  // where it is, for messages; empty: not yet looked for
  Bytes buffer_;         // kept for its memory
};

Result<RandomFile> open_ids(const std::string& path, std::int64_t bytes_of_id) {
  Result<RandomFile> file = RandomFile::open(path);
  if (file && path.ends_with(".gz") && file->is_compressed())
    return Error{"`" + path + "` is compressed, but ids are read where they lie",
                 {"decompress it: gunzip -k " + path},
                 {}};
  if (!file || file->size() % bytes_of_id == 0) return file;
  return Error{"`" + path + "` has " + std::to_string(file->size()) +
                   " bytes: it is not a list of " + std::to_string(8 * bytes_of_id) + "-bit ids",
               {},
               {}};
}

}  // namespace

Result<std::unique_ptr<IdRow>> open_file_row(const IdFiles& files, std::int64_t bytes_of_id,
                                             const std::string& source) {
  Result<RandomFile> file = open_ids(files.file, bytes_of_id);
  if (!file) return file.error();
  std::optional<RandomFile> eval;
  if (!files.eval.empty()) {
    Result<RandomFile> opened = open_ids(files.eval, bytes_of_id);
    if (!opened) return opened.error();
    eval.emplace(std::move(*opened));
  }
  auto row = std::make_unique<FileRow>(std::move(*file), std::move(eval), bytes_of_id);
  const Result<std::int64_t> train =
      rows_for_training(row->size(Split::train), files.holdout, source);
  if (!train) return train.error();
  if (files.eval.empty()) row->cut(*train);
  return std::unique_ptr<IdRow>(std::move(row));
}

}  // namespace mtfc::runtime
