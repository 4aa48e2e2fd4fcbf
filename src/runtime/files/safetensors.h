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

#include "runtime/engine.h"
#include "runtime/files/read_file.h"

namespace mtfc::runtime {

using Metadata = std::map<std::string, std::string>;

/// A tensor as the header names it.
struct StoredTensor {
  std::string name;
  std::string dtype;  // "F32", "BF16", ..., also those that a HostTensor cannot have
  std::vector<std::int64_t> extents;
  std::uint64_t begin = 0, end = 0;  // bytes, from the end of the header
};

/// Writes a file under its name, whole or not at all. Tensors are given one by one, so that only
/// one is in memory.
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
  /// Puts large elements first, so that all are aligned. To be called before create().
  static void align(std::vector<Entry>& entries);
  /// In the order of the entries.
  void add(const HostTensor& tensor);
  Status finish();

 private:
  SafetensorsWriter(AtomicFile file, std::vector<Entry> entries)
      : file_(std::move(file)), entries_(std::move(entries)) {}
  void patch(const std::string& key, const std::string& digits);

  AtomicFile file_;
  std::vector<Entry> entries_;
  std::string header_;  // with the length before it
  std::string sums_;    // of the tensors added so far
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
  bool has_checksums() const;
  /// Reads everything and compares all checksums, if it has them.
  Status verify() const;

 private:
  struct Descriptor;
  SafetensorsFile() = default;
  Status check_header_sum(const std::string& header) const;
  Status check_sum(const StoredTensor& tensor, std::uint32_t sum) const;

  std::string path_;
  std::shared_ptr<const Descriptor> descriptor_;
  std::uint64_t data_ = 0;  // where the tensors begin
  std::vector<StoredTensor> tensors_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
  Metadata metadata_;
};

/// "F32"; every DType has its word.
std::string_view safetensors_word(DType dtype);

}  // namespace mtfc::runtime
