// The elements of an array that rows are taken from: in memory, or left in the files they are in.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "data/files/npy.h"
#include "data/files/random_file.h"

namespace mtfc::runtime {

class ArrayData {
 public:
  /// Without elements, of a kind and size as in NpyArray.
  ArrayData(char kind, std::int64_t item_size) : kind_(kind), item_size_(item_size) {}

  /// `elements` more, from byte `first` of a file (of bytes in memory) on. `swapped`: they have the
  /// other byte order.
  void add(std::shared_ptr<const RandomFile> file, std::int64_t first, std::int64_t elements,
           bool swapped);
  void add(std::shared_ptr<const Bytes> bytes, std::int64_t first, std::int64_t elements);

  char kind() const { return kind_; }
  std::int64_t item_size() const { return item_size_; }
  std::int64_t elements() const { return elements_; }
  /// Elements `from` .. `from` + `count` - 1, in this machine's byte order; valid until this
  /// thread's next read of any. Of files no other bytes are read.
  Result<const std::byte*> read(std::int64_t from, std::int64_t count) const;
  /// The same into `to`, as many as fit.
  Status read_into(std::int64_t from, std::span<std::byte> to) const;
  /// The number that stands first at `item`.
  double number(const std::byte* item) const { return number_at(kind_, item_size_, item); }

 private:
  struct Piece {
    std::shared_ptr<const RandomFile> file;
    std::shared_ptr<const Bytes> bytes;  // one of the two
    std::int64_t first = 0, elements = 0;
    bool swapped = false;
  };
  Status copy(const Piece& piece, std::int64_t from, std::span<std::byte> to) const;
  /// Where elements are that one piece has in memory; null: they are not.
  const std::byte* in_memory(std::int64_t from, std::int64_t count) const;

  char kind_;
  std::int64_t item_size_, elements_ = 0;
  std::vector<Piece> pieces_;
};

}  // namespace mtfc::runtime
