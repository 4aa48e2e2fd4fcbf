#include "data/array_data.h"

#include <algorithm>

namespace mtfc::runtime {

void ArrayData::add(std::shared_ptr<const RandomFile> file, std::int64_t first,
                    std::int64_t elements, bool swapped) {
  pieces_.push_back({std::move(file), nullptr, first, elements, swapped});
  elements_ += elements;
}

void ArrayData::add(std::shared_ptr<const Bytes> bytes, std::int64_t first, std::int64_t elements) {
  pieces_.push_back({nullptr, std::move(bytes), first, elements, false});
  elements_ += elements;
}

Result<const std::byte*> ArrayData::read(std::int64_t from, std::int64_t count) const {
  if (const std::byte* bytes = in_memory(from, count)) return bytes;
  thread_local Bytes buffer;
  buffer.resize(static_cast<std::size_t>(count * item_size_));
  if (Status read = read_into(from, buffer); !read) return read.error();
  return static_cast<const std::byte*>(buffer.data());
}

Status ArrayData::read_into(std::int64_t from, std::span<std::byte> to) const {
  for (const Piece& piece : pieces_) {
    const std::int64_t left = static_cast<std::int64_t>(to.size()) / item_size_,
                       here = std::min(left, piece.elements - from);
    if (here > 0) {
      const auto bytes = static_cast<std::size_t>(here * item_size_);
      if (Status read = copy(piece, from, to.first(bytes)); !read) return read;
      to = to.subspan(bytes);
      from += here;
    }
    from -= piece.elements;
  }
  return {};
}

const std::byte* ArrayData::in_memory(std::int64_t from, std::int64_t count) const {
  for (const Piece& piece : pieces_) {
    if (from < piece.elements)
      return piece.bytes && from + count <= piece.elements
                 ? piece.bytes->data() + piece.first + from * item_size_
                 : nullptr;
    from -= piece.elements;
  }
  return nullptr;
}

Status ArrayData::copy(const Piece& piece, std::int64_t from, std::span<std::byte> to) const {
  const std::int64_t first = piece.first + from * item_size_;
  if (piece.bytes) {
    std::copy_n(piece.bytes->begin() + first, to.size(), to.begin());
    return {};
  }
  if (Status read = piece.file->read(first, to); !read) return read;
  if (piece.swapped) swap_bytes(to, item_size_);
  return {};
}

}  // namespace mtfc::runtime
