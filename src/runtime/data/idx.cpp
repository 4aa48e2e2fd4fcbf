// idx(DIR): MNIST's format under its standard file names, gzip or not.
#include <sys/stat.h>

#include <cstring>

#include "runtime/data/args.h"
#include "runtime/data/table.h"

namespace mtfc::runtime {
namespace {

struct Part {
  std::int64_t rows = 0;
  std::vector<std::int64_t> record;
  Bytes data;
};

bool exists(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}

Error bad(const std::string& path, const std::string& what) {
  return {"`" + path + "` is not an IDX file: " + what, {}, {}};
}

std::int64_t big_endian(const Bytes& bytes, std::size_t at) {
  std::int64_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<std::int64_t>(bytes[at + i]);
  return value;
}

/// Header: two zero bytes, the type (8: unsigned bytes), the rank, the extents; then the data.
Result<Part> parse(const std::string& path, Bytes bytes) {
  if (bytes.size() < 8 || bytes[0] != std::byte{0} || bytes[1] != std::byte{0})
    return bad(path, "it does not begin as one");
  if (bytes[2] != std::byte{8}) return bad(path, "only unsigned bytes are read");
  const auto rank = static_cast<std::size_t>(bytes[3]);
  const std::size_t start = 4 + 4 * rank;
  if (rank < 1 || rank > 8 || bytes.size() < start) return bad(path, "its header is cut off");
  Part part{big_endian(bytes, 4), {}, {}};
  std::int64_t total = part.rows;
  for (std::size_t d = 1; d < rank; ++d) {
    part.record.push_back(big_endian(bytes, 4 + 4 * d));
    if (__builtin_mul_overflow(total, part.record.back(), &total))
      return bad(path, "its extents are absurd");
  }
  if (static_cast<std::uint64_t>(total) != bytes.size() - start)
    return bad(path, "its header says " + std::to_string(total) + " bytes of data, it has " +
                         std::to_string(bytes.size() - start));
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(start));
  part.data = std::move(bytes);
  return part;
}

Result<Part> read_part(const std::string& directory, const std::string& name) {
  const std::string plain = directory + "/" + name;
  const std::string path = exists(plain) || !exists(plain + ".gz") ? plain : plain + ".gz";
  Result<Bytes> bytes = read_maybe_gzip(path);
  if (!bytes) return bytes.error();
  return parse(path, std::move(*bytes));
}

/// The training part with the evaluation part behind it.
Result<Part> read_both(const std::string& directory, const std::string& train,
                       const std::string& eval, std::int64_t& train_rows) {
  Result<Part> first = read_part(directory, train);
  if (!first) return first.error();
  Result<Part> second = read_part(directory, eval);
  if (!second) return second.error();
  if (first->record != second->record)
    return bad(directory + "/" + eval, "its records differ from those of " + train);
  train_rows = first->rows;
  first->rows += second->rows;
  first->data.insert(first->data.end(), second->data.begin(), second->data.end());
  return first;
}

NpyArray as_array(Part part) {
  NpyArray array{'u', 1, {part.rows}, std::move(part.data)};
  array.extents.insert(array.extents.end(), part.record.begin(), part.record.end());
  return array;
}

}  // namespace

Result<Table> open_idx(const SourceSpec& spec) {
  Args args(spec);
  const std::string directory = args.path({"dir", "directory", "path", "file"});
  if (Status read = args.finish(); !read) return read.error();
  std::int64_t image_rows = 0, label_rows = 0;
  Result<Part> images =
      read_both(directory, "train-images-idx3-ubyte", "t10k-images-idx3-ubyte", image_rows);
  if (!images) return images.error();
  Result<Part> labels =
      read_both(directory, "train-labels-idx1-ubyte", "t10k-labels-idx1-ubyte", label_rows);
  if (!labels) return labels.error();
  if (images->rows != labels->rows || image_rows != label_rows)
    return bad(directory, "images and labels differ in number");
  Table table{spec.name, {}, images->rows, image_rows};
  table.columns.push_back({"image", as_array(std::move(*images)), 255, {}});
  table.columns.push_back({"label", as_array(std::move(*labels)), 1, {}});
  return table;
}

}  // namespace mtfc::runtime
