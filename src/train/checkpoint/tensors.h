// The tensors of a checkpoint, wherever they are: in one safetensors file, or in a folder with
// pieces of them in several files and an index (docs/files.md).
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "train/checkpoint/index.h"

namespace mtfc::runtime {

class CheckpointTensors {
 public:
  /// Anything may be there. The header or the index is checked, tensors are not read.
  static Result<CheckpointTensors> open(const std::string& path);

  const std::string& path() const { return path_; }
  const Metadata& metadata() const { return metadata_; }
  bool has_checksums() const { return sharded_ || files_[0].opened->has_checksums(); }
  const std::vector<StoredTensor>& tensors() const { return tensors_; }
  const StoredTensor* find(const std::string& name) const;
  /// The whole tensor, or a block of it; of files nothing else is read.
  Result<HostTensor> read(const StoredTensor& tensor) const;
  Result<HostTensor> read(const StoredTensor& tensor, const Block& block) const;
  /// Compares the checksums of a share of the bytes: that of reader `reader` of `readers`, who
  /// together read everything once.
  Status verify(std::int64_t reader = 0, std::int64_t readers = 1) const;

 private:
  struct File {
    std::string path, header_sum;  // as in IndexedFile
    std::optional<SafetensorsFile> opened;
  };
  Result<const SafetensorsFile*> file(std::size_t number) const;
  Result<const StoredTensor*> stored(const SafetensorsFile& file, const StoredTensor& tensor,
                                     const IndexedPiece& piece) const;
  const std::vector<IndexedPiece>& pieces(const StoredTensor& tensor) const;

  std::string path_;
  bool sharded_ = false;
  Metadata metadata_;
  std::vector<StoredTensor> tensors_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
  std::vector<std::vector<IndexedPiece>> pieces_;  // of each tensor
  mutable std::vector<File> files_;                // opened when they are needed
  mutable std::size_t opened_ = 0;
};

}  // namespace mtfc::runtime
