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

Result<const std::byte*> ArrayData::read(std::int64_t from, std::int64_t count) {
  std::size_t done = 0;
  for (const Piece& piece : pieces_) {
    const std::int64_t here = std::min(count, piece.elements - from);
    if (here > 0) {
      if (piece.bytes && done == 0 && here == count)
        return piece.bytes->data() + piece.first + from * item_size_;
      buffer_.resize(done + static_cast<std::size_t>(count * item_size_));
      const auto bytes = static_cast<std::size_t>(here * item_size_);
      if (Status read = copy(piece, from, std::span(buffer_).subspan(done, bytes)); !read)
        return read.error();
      done += bytes;
      count -= here;
      from += here;
    }
    from -= piece.elements;
  }
  return buffer_.data();
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
