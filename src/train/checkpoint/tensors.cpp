#include "train/checkpoint/tensors.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "data/files/safetensors_words.h"

namespace mtfc::runtime {
namespace {

constexpr std::size_t most_opened = 64;  // a process may not have many more files

}  // namespace

Result<CheckpointTensors> CheckpointTensors::open(const std::string& path) {
  CheckpointTensors all;
  all.path_ = path;
  if (is_checkpoint_folder(path)) {
    Result<CheckpointIndex> index = read_index(path);
    if (!index) return index.error();
    all.sharded_ = true;
    all.metadata_ = std::move(index->metadata);
    all.tensors_ = std::move(index->tensors);
    all.pieces_ = std::move(index->pieces);
    for (const IndexedFile& file : index->files)
      all.files_.push_back({path + "/" + file.name, file.header_sum, {}});
  } else if (std::error_code ignored; std::filesystem::is_directory(path, ignored)) {
    return without_index(path);
  } else {
    Result<SafetensorsFile> file = SafetensorsFile::open(path);
    if (!file) return file.error();
    all.metadata_ = file->metadata();
    all.tensors_ = file->tensors();
    for (const StoredTensor& tensor : all.tensors_)
      all.pieces_.push_back({{0, Block::whole(tensor.extents)}});
    all.files_.push_back({path, "", std::move(*file)});
  }
  for (std::size_t i = 0; i < all.tensors_.size(); ++i)
    all.by_name_.emplace(all.tensors_[i].name, i);
  return all;
}

const StoredTensor* CheckpointTensors::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &tensors_[found->second];
}

const std::vector<IndexedPiece>& CheckpointTensors::pieces(const StoredTensor& tensor) const {
  return pieces_[by_name_.find(tensor.name)->second];
}

Result<const SafetensorsFile*> CheckpointTensors::file(std::size_t number) const {
  File& file = files_[number];
  if (file.opened) return &*file.opened;
  if (opened_ >= most_opened) {
    for (File& other : files_) other.opened.reset();
    opened_ = 0;
  }
  Result<SafetensorsFile> opened = SafetensorsFile::open(file.path);
  if (!opened) return opened.error();
  const auto sum = opened->metadata().find(std::string(safetensors::header_sum_key));
  if (sum == opened->metadata().end() || sum->second != file.header_sum)
    return Error{
        "`" + path_ + "` is damaged: `" + file.path + "` is not the one of its index", {}, {}};
  file.opened.emplace(std::move(*opened));
  ++opened_;
  return &*file.opened;
}

Result<const StoredTensor*> CheckpointTensors::stored(const SafetensorsFile& file,
                                                      const StoredTensor& tensor,
                                                      const IndexedPiece& piece) const {
  const StoredTensor* found = file.find(tensor.name);
  if (found && found->dtype == tensor.dtype && found->extents == piece.block.extents) return found;
  return Error{"`" + path_ + "` is damaged: `" + file.path() + "` has not the piece of `" +
                   tensor.name + "` that the index names",
               {},
               {}};
}

Result<HostTensor> CheckpointTensors::read(const StoredTensor& tensor) const {
  if (!sharded_) return files_[0].opened->read(tensor);
  return read(tensor, Block::whole(tensor.extents));
}

Result<HostTensor> CheckpointTensors::read(const StoredTensor& tensor, const Block& block) const {
  const auto dtype = safetensors::find_word(tensor.dtype)->dtype;
  std::optional<HostTensor> whole;
  std::int64_t found = 0;
  for (const IndexedPiece& piece : pieces(tensor)) {
    const std::optional<Block> here = common(piece.block, block);
    if (!here) continue;
    const Result<const SafetensorsFile*> from = file(piece.file);
    if (!from) return from.error();
    const Result<const StoredTensor*> part = stored(**from, tensor, piece);
    if (!part) return part.error();
    Result<HostTensor> values = (*from)->read(**part, inside(*here, piece.block));
    if (!values || *here == block) return values;
    if (!whole) whole = HostTensor::zeros(*dtype, block.extents);
    paste(*values, inside(*here, block), *whole);
    found += here->elements();
  }
  if (found == block.elements() && dtype)
    return whole ? std::move(*whole) : HostTensor::zeros(*dtype, block.extents);
  return Error{
      "`" + path_ + "` is damaged: parts of tensor `" + tensor.name + "` are missing", {}, {}};
}

Status CheckpointTensors::verify(std::int64_t reader, std::int64_t readers) const {
  // Pieces are dealt out in the order of their bytes, so that everybody reads about equally much.
  double all = 0, done = 0;
  const auto size = [&](const StoredTensor& tensor, const IndexedPiece& piece) {
    const auto* word = safetensors::find_word(tensor.dtype);
    return static_cast<double>(piece.block.elements()) * static_cast<double>(word->bytes);
  };
  for (const StoredTensor& tensor : tensors_)
    for (const IndexedPiece& piece : pieces(tensor)) all += size(tensor, piece);
  for (const StoredTensor& tensor : tensors_)
    for (const IndexedPiece& piece : pieces(tensor)) {
      const double middle = done + size(tensor, piece) / 2;
      done += size(tensor, piece);
      const auto whose = static_cast<std::int64_t>(middle / std::max(all, 1.0) * double(readers));
      if (std::min(whose, readers - 1) != reader) continue;
      const Result<const SafetensorsFile*> from = file(piece.file);
      if (!from) return from.error();
      const Result<const StoredTensor*> part = stored(**from, tensor, piece);
      if (!part) return part.error();
      if (Status same = (*from)->verify(**part); !same) return same;
    }
  return {};
}

}  // namespace mtfc::runtime
