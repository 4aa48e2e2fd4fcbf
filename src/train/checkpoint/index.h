// The index of a checkpoint in several files: FOLDER/index.json, which docs/files.md describes.
#pragma once
#include <string>
#include <vector>

#include "data/files/safetensors.h"

namespace mtfc::runtime {

/// A block of a tensor, which is a whole tensor of one of the files.
struct IndexedPiece {
  std::size_t file = 0;
  Block block;
};

struct IndexedFile {
  std::string name;        // in the folder
  std::string header_sum;  // its "crc32": says that it is the file that the index means
};

struct CheckpointIndex {
  Metadata metadata;
  std::vector<IndexedFile> files;
  std::vector<StoredTensor> tensors;              // without places
  std::vector<std::vector<IndexedPiece>> pieces;  // of each tensor
};

/// A folder with an index is a checkpoint.
bool is_checkpoint_folder(const std::string& path);
/// What is said of one that has lost its index.
Error without_index(const std::string& path);
/// "part-00003.safetensors"
std::string part_name(int number);

Status write_index(const std::string& folder, const CheckpointIndex& index);
/// Anything may be in it. What is returned obeys the rules: known types, pieces within their
/// tensors and as many elements as these have, files that are files of the folder.
Result<CheckpointIndex> read_index(const std::string& folder);

}  // namespace mtfc::runtime
