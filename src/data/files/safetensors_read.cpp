#include <algorithm>

#include "data/files/crc32.h"
#include "data/files/safetensors.h"
#include "data/files/safetensors_header.h"
#include "data/files/safetensors_words.h"

namespace mtfc::runtime {

using namespace safetensors;

namespace {

Error bad_safetensors(const std::string& path, const std::string& what) {
  return {"`" + path + "` is not a whole safetensors file: " + what, {}, {}};
}

}  // namespace

Result<SafetensorsFile> SafetensorsFile::open(const std::string& path) {
  Result<RandomFile> opened = RandomFile::open(path);
  if (!opened) return opened.error();
  SafetensorsFile file;
  file.path_ = path;
  file.file_ = std::make_shared<const RandomFile>(std::move(*opened));
  const auto size = static_cast<std::uint64_t>(file.file_->size());
  if (size < length_size)
    return bad_safetensors(path, "it has only " + std::to_string(size) + " bytes");
  std::string header(length_size, '\0');
  const auto bytes = [&] { return std::as_writable_bytes(std::span(header)); };
  if (Status read = file.file_->read(0, bytes()); !read) return read.error();
  std::uint64_t length = 0;
  for (std::size_t i = length_size; i-- > 0;)
    length = length << 8 | static_cast<unsigned char>(header[i]);
  if (length > largest_header)
    return bad_safetensors(path, "its header would have " + std::to_string(length) + " bytes");
  if (length > size - length_size) return bad_safetensors(path, "it is cut off within its header");
  header.resize(length_size + length);
  if (Status read = file.file_->read(length_size, bytes().subspan(length_size)); !read)
    return read.error();
  file.data_ = length_size + length;
  ParsedHeader parsed =
      parse_header(std::string_view(header).substr(length_size), size - file.data_);
  if (!parsed.wrong.empty()) return bad_safetensors(path, parsed.wrong);
  file.tensors_ = std::move(parsed.header.tensors);
  file.metadata_ = std::move(parsed.header.metadata);
  for (std::size_t i = 0; i < file.tensors_.size(); ++i)
    file.by_name_.emplace(file.tensors_[i].name, i);
  if (Status sum = file.check_header_sum(header); !sum) return sum.error();
  return file;
}

bool SafetensorsFile::has_checksums() const {
  return metadata_.contains(std::string(header_sum_key));
}

Status SafetensorsFile::check_header_sum(const std::string& header) const {
  const auto sum = metadata_.find(std::string(header_sum_key));
  if (sum == metadata_.end()) return {};
  const auto sums = metadata_.find(std::string(tensor_sums_key));
  const std::string before = "\"" + std::string(header_sum_key) + "\":\"";
  const std::size_t at = header.find(before);
  const bool formed = sum->second.size() == sum_digits && at != std::string::npos &&
                      sums != metadata_.end() &&
                      sums->second.size() == sum_digits * tensors_.size();
  std::string zeroed = header;
  if (formed) zeroed.replace(at + before.size(), sum_digits, sum_digits, '0');
  if (formed && digits_of(crc32_of(std::as_bytes(std::span(zeroed)))) == sum->second) return {};
  return Error{"`" + path_ + "` is damaged: its header does not match its checksum", {}, {}};
}

Status SafetensorsFile::check_sum(const StoredTensor& tensor, std::uint32_t sum) const {
  const auto sums = metadata_.find(std::string(tensor_sums_key));
  if (sums == metadata_.end() || !has_checksums()) return {};
  const std::size_t offset = sum_digits * by_name_.find(tensor.name)->second;
  if (sums->second.compare(offset, sum_digits, digits_of(sum)) == 0) return {};
  return Error{
      "`" + path_ + "` is damaged: tensor `" + tensor.name + "` does not match its checksum",
      {},
      {}};
}

const StoredTensor* SafetensorsFile::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &tensors_[found->second];
}

Result<HostTensor> SafetensorsFile::read(const StoredTensor& tensor) const {
  Result<HostTensor> value = read(tensor, Block::whole(tensor.extents));
  if (!value) return value;
  if (Status same = check_sum(tensor, crc32_of(value->data)); !same) return same.error();
  return value;
}

Result<HostTensor> SafetensorsFile::read(const StoredTensor& tensor, const Block& block) const {
  const Word* word = find_word(tensor.dtype);
  if (!word->dtype)
    return Error{"tensor `" + tensor.name + "` in `" + path_ + "` has the type " + tensor.dtype +
                     ", which models do not have",
                 {},
                 {}};
  // The header was held against the file's size: this is no more than what the file has.
  HostTensor value = HostTensor::zeros(*word->dtype, block.extents);
  Status read;
  for_each_run(tensor.extents, block, [&](std::int64_t from, std::int64_t to, std::int64_t count) {
    const auto at = static_cast<std::uint64_t>(from) * word->bytes;
    const auto offset = static_cast<std::uint64_t>(to) * word->bytes;
    const auto size = static_cast<std::uint64_t>(count) * word->bytes;
    if (read)
      read = file_->read(static_cast<std::int64_t>(data_ + tensor.begin + at),
                         std::span(value.data).subspan(offset, size));
  });
  if (!read) return read.error();
  return value;
}

Status SafetensorsFile::verify() const {
  for (const StoredTensor& tensor : tensors_)
    if (Status same = verify(tensor); !same) return same;
  return {};
}

Status SafetensorsFile::verify(const StoredTensor& tensor) const {
  Bytes part(std::min<std::uint64_t>(tensor.end - tensor.begin, std::uint64_t{1} << 20));
  std::uint32_t sum = 0;
  for (std::uint64_t at = tensor.begin; at < tensor.end;) {
    const std::size_t size = std::min<std::uint64_t>(part.size(), tensor.end - at);
    const std::span<std::byte> bytes = std::span(part).first(size);
    if (Status read = file_->read(static_cast<std::int64_t>(data_ + at), bytes); !read) return read;
    sum = crc32_of(bytes, sum);
    at += size;
  }
  return check_sum(tensor, sum);
}

}  // namespace mtfc::runtime
