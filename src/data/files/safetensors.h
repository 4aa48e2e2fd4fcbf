// The safetensors form (github.com/huggingface/safetensors, "Format"): 8 bytes with the length of
// the header, little end first; the header, a JSON object; the tensors' bytes, row-major, without
// holes. Text about the file as a whole stands in the header under "__metadata__".
//
// Files of ours carry checksums (CRC-32, as in zlib) in that metadata: "crc32.tensors", one of 8
// digits for each tensor in the order of their places, and "crc32", of the length and the header
// with its own digits as zeros. Together they cover every byte.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "data/files/offset_file.h"
#include "data/files/random_file.h"
#include "data/files/read_file.h"
#include "support/host_tensor.h"

namespace mtfc::runtime {

using Metadata = std::map<std::string, std::string>;

/// A tensor as the header names it.
struct StoredTensor {
  std::string name;
  std::string dtype;  // "F32", "BF16", ..., also those that a HostTensor cannot have
  std::vector<std::int64_t> extents;
  std::uint64_t begin = 0, end = 0;  // bytes, from the end of the header
};

/// Writes a file under its name, whole or not at all. One process makes it; others may join it and
/// write blocks of its tensors. Tensors are given one by one, so that only one is in memory.
class SafetensorsWriter {
 public:
  /// What will be written; data and places are ignored. Absent with the reason if it cannot begin.
  struct Entry {
    std::string name;
    DType dtype{};
    std::vector<std::int64_t> extents;
  };
  static Result<SafetensorsWriter> create(std::string path, std::vector<Entry> entries,
                                          Metadata metadata);
  /// Where others find the file that is being written.
  struct Meeting {
    std::string name;
    std::int64_t data = 0;  // where the tensors begin
  };
  Meeting meeting() const { return {name_, data_}; }
  static Result<SafetensorsWriter> join(std::string path, std::vector<Entry> entries,
                                        const Meeting& meeting);
  SafetensorsWriter(SafetensorsWriter&&) = default;
  SafetensorsWriter& operator=(SafetensorsWriter&&) = delete;
  ~SafetensorsWriter();  // of who made it, not finished: the file is removed

  /// Puts large elements first, so that all are aligned. To be called before create().
  static void align(std::vector<Entry>& entries);
  /// The block of an entry, once; blocks of all processes together cover every entry once.
  void add(std::size_t entry, const Block& block, const HostTensor& values);
  /// The next entry, whole.
  void add(const HostTensor& tensor) {
    const std::size_t entry = next_++;
    add(entry, Block::whole(tensor.extents), tensor);
  }
  /// For each entry what this process has to add to its CRC-32: the exclusive or of all processes'
  /// shares is the checksum.
  const std::vector<std::uint32_t>& sums() const { return sums_; }
  /// For those that joined: what they wrote is on the disk.
  Status close() { return file_.close(); }
  /// For who made it: the whole file is. `sums`: of all processes.
  Status finish(const std::vector<std::uint32_t>& sums);
  Status finish() { return finish(sums_); }
  /// The header's own checksum, once the file is finished.
  const std::string& header_sum() const { return header_sum_; }

 private:
  SafetensorsWriter(std::string path, std::string name, OffsetFile file,
                    std::vector<Entry> entries);
  void patch(const std::string& key, const std::string& digits);

  std::string path_, name_;
  OffsetFile file_;
  std::vector<Entry> entries_;
  std::vector<std::int64_t> offsets_;  // of the entries, from data_ on
  std::string header_sum_;
  std::string header_;  // with the length before it; only of who made it
  std::int64_t data_ = 0;
  std::vector<std::uint32_t> sums_;
  std::size_t next_ = 0;
};

/// An open file whose header obeys every rule of the form. Its tensors are read when asked for.
class SafetensorsFile {
 public:
  /// Anything may stand in the file. Checks the header (and its checksum, if there is one), not
  /// the tensors.
  static Result<SafetensorsFile> open(const std::string& path);

  const std::string& path() const { return path_; }
  /// In the order of their places.
  const std::vector<StoredTensor>& tensors() const { return tensors_; }
  const StoredTensor* find(const std::string& name) const;
  const Metadata& metadata() const { return metadata_; }
  /// The tensor's bytes, compared with its checksum. An error names the tensor and the file.
  Result<HostTensor> read(const StoredTensor& tensor) const;
  /// A block of it; nothing else is read, and nothing compared.
  Result<HostTensor> read(const StoredTensor& tensor, const Block& block) const;
  bool has_checksums() const;
  /// Reads a tensor and compares its checksum, if it has one.
  Status verify(const StoredTensor& tensor) const;
  /// All of them.
  Status verify() const;

 private:
  SafetensorsFile() = default;
  Status check_header_sum(const std::string& header) const;
  Status check_sum(const StoredTensor& tensor, std::uint32_t sum) const;

  std::string path_;
  std::shared_ptr<const RandomFile> file_;
  std::uint64_t data_ = 0;  // where the tensors begin
  std::vector<StoredTensor> tensors_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
  Metadata metadata_;
};

/// "F32"; every DType has its word.
std::string_view safetensors_word(DType dtype);

}  // namespace mtfc::runtime
