// idx(DIR): MNIST's format under its standard file names, gzip or not.
#include <sys/stat.h>

#include <algorithm>

#include "data/args.h"
#include "data/table.h"

namespace mtfc::runtime {
namespace {

/// One file: its header, and where its elements are.
struct IdxFile {
  std::int64_t rows = 0;
  std::vector<std::int64_t> record;
  std::int64_t start = 0;                  // bytes of the header
  std::int64_t total = 0;                  // of elements, a byte each
  std::shared_ptr<const RandomFile> file;  // null: all of it is in `bytes`
  Bytes bytes;
};

bool exists(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}

Error bad_idx(const std::string& path, const std::string& what) {
  return {"`" + path + "` is not an IDX file: " + what, {}, {}};
}

std::int64_t big_endian(const Bytes& bytes, std::size_t at) {
  std::int64_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<std::int64_t>(bytes[at + i]);
  return value;
}

constexpr std::size_t header_most = 4 + 4 * 8;

/// Header: two zero bytes, the type (8: unsigned bytes), the rank, the extents; then the data.
/// `size`: of the file that begins with `bytes`.
Result<IdxFile> parse(const std::string& path, const Bytes& bytes, std::int64_t size) {
  if (bytes.size() < 8 || bytes[0] != std::byte{0} || bytes[1] != std::byte{0})
    return bad_idx(path, "it does not begin as one");
  if (bytes[2] != std::byte{8}) return bad_idx(path, "only unsigned bytes are read");
  const auto rank = static_cast<std::size_t>(bytes[3]);
  const std::size_t start = 4 + 4 * rank;
  if (rank < 1 || rank > 8 || bytes.size() < start) return bad_idx(path, "its header is cut off");
  IdxFile part;
  part.rows = part.total = big_endian(bytes, 4);
  part.start = static_cast<std::int64_t>(start);
  for (std::size_t d = 1; d < rank; ++d) {
    part.record.push_back(big_endian(bytes, 4 + 4 * d));
    if (__builtin_mul_overflow(part.total, part.record.back(), &part.total))
      return bad_idx(path, "its extents are absurd");
  }
  if (part.total != size - part.start)
    return bad_idx(path, "its header says " + std::to_string(part.total) +
                             " bytes of data, it has " + std::to_string(size - part.start));
  return part;
}

/// A plain file stays on disk: its rows are read when they are asked for.
Result<IdxFile> open_plain(const std::string& path, RandomFile opened) {
  auto file = std::make_shared<const RandomFile>(std::move(opened));
  Bytes beginning(std::min(header_most, static_cast<std::size_t>(file->size())));
  if (Status read = file->read(0, beginning); !read) return read.error();
  Result<IdxFile> part = parse(path, beginning, file->size());
  if (part) part->file = std::move(file);
  return part;
}

std::string idx_path(const std::string& directory, const std::string& name) {
  const std::string plain = directory + "/" + name;
  return exists(plain) || !exists(plain + ".gz") ? plain : plain + ".gz";
}

Result<IdxFile> read_part(const std::string& directory, const std::string& name) {
  const std::string path = idx_path(directory, name);
  Result<RandomFile> file = RandomFile::open(path);
  if (file && !file->is_compressed()) return open_plain(path, std::move(*file));
  Result<Bytes> bytes = read_maybe_gzip(path);
  if (!bytes) return bytes.error();
  Result<IdxFile> part = parse(path, *bytes, static_cast<std::int64_t>(bytes->size()));
  if (part) part->bytes = std::move(*bytes);
  return part;
}

/// The rows of the training part, then those of the evaluation part.
Result<Column> read_column(const std::string& directory, const std::string& field,
                           const std::string& train, const std::string& eval, double divisor,
                           std::int64_t& train_rows) {
  Result<IdxFile> first = read_part(directory, train);
  if (!first) return first.error();
  Result<IdxFile> second = read_part(directory, eval);
  if (!second) return second.error();
  if (first->record != second->record)
    return bad_idx(directory + "/" + eval, "its records differ from those of " + train);
  train_rows = first->rows;
  ArrayData values('u', 1);
  for (IdxFile* part : {&*first, &*second}) {
    if (part->file)
      values.add(part->file, part->start, part->total, false);
    else
      values.add(std::make_shared<const Bytes>(std::move(part->bytes)), part->start, part->total);
  }
  Column column{field, first->record, std::move(values), divisor, {}, first->rows + second->rows};
  column.location = [=, begin = first->rows](std::int64_t row) {
    return row < begin ? row_location(directory + "/" + train, row)
                       : row_location(directory + "/" + eval, row - begin);
  };
  return column;
}

// Images and labels, for training and for evaluation.
constexpr const char* idx_names[] = {"train-images-idx3-ubyte", "train-labels-idx1-ubyte",
                                     "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"};

}  // namespace

std::vector<std::string> idx_files(const std::string& directory) {
  std::vector<std::string> files;
  for (const char* name : idx_names) files.push_back(idx_path(directory, name));
  return files;
}

Result<Table> open_idx(const SourceSpec& spec) {
  Args args(spec);
  const std::string directory = args.path("dir");
  if (Status read = args.finish(); !read) return read.error();
  std::int64_t image_rows = 0, label_rows = 0;
  Result<Column> images =
      read_column(directory, "image", idx_names[0], idx_names[2], 255, image_rows);
  if (!images) return images.error();
  Result<Column> labels =
      read_column(directory, "label", idx_names[1], idx_names[3], 1, label_rows);
  if (!labels) return labels.error();
  if (images->rows != labels->rows || image_rows != label_rows)
    return bad_idx(directory, "images and labels differ in number");
  Table table{spec.name, {}, images->rows, image_rows};
  table.columns.push_back(std::move(*images));
  table.columns.push_back(std::move(*labels));
  return table;
}

}  // namespace mtfc::runtime
