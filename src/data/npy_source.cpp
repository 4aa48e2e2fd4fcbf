// npy(FILE, name=FILE, ..., holdout=0.1): arrays whose first extent numbers the examples. The first
// file's field is `data`, the others' are their arguments' names.
#include <algorithm>

#include "data/args.h"
#include "data/table.h"

namespace mtfc::runtime {
namespace {

/// Why there is nothing in an array of these extents that could be read; empty: there is.
std::string nothing_in(const std::vector<std::int64_t>& extents) {
  if (extents.empty()) return "holds a single number: nothing numbers the examples";
  const auto zero = std::find(extents.begin(), extents.end(), 0);
  if (zero == extents.end()) return "";
  return zero == extents.begin() ? "holds no examples: its first extent is 0"
                                 : "holds no numbers: an extent of its examples is 0";
}

/// A plain file in row-major order stays on disk: its rows are read when they are asked for.
/// Absent: it must be read whole.
std::optional<Column> open_on_disk(const std::string& name, const std::string& path) {
  Result<RandomFile> opened = RandomFile::open(path);
  if (!opened) return std::nullopt;
  const auto file = std::make_shared<const RandomFile>(std::move(*opened));
  Bytes beginning(static_cast<std::size_t>(std::min(file->size(), npy_header_most)));
  if (!file->read(0, beginning)) return std::nullopt;
  const Result<NpyHeader> header = parse_npy_header(beginning, file->size(), path);
  if (!header || !nothing_in(header->extents).empty() || header->kind == 'U' ||
      (header->fortran && header->extents.size() > 1))
    return std::nullopt;
  ArrayData values(header->kind, header->item_size);
  values.add(file, header->data, header->data_size / header->item_size, header->swapped);
  return Column{name,
                {header->extents.begin() + 1, header->extents.end()},
                std::move(values),
                1,
                {},
                header->extents[0]};
}

Result<Column> read_column(const std::string& name, const std::string& path) {
  if (std::optional<Column> on_disk = open_on_disk(name, path)) return std::move(*on_disk);
  const Result<Bytes> bytes = read_maybe_gzip(path);
  if (!bytes) return bytes.error();
  Result<NpyArray> array = parse_npy(*bytes, path);
  if (!array) return array.error();
  if (const std::string why = nothing_in(array->extents); !why.empty())
    return Error{"`" + path + "` " + why, {}, {}};
  const bool text = array->kind == 'U';
  Column column = make_column(name, std::move(*array));
  if (text) column.unusable = "it holds text";
  return column;
}

}  // namespace

Result<Table> open_npy(const SourceSpec& spec) {
  Args args(spec);
  std::vector<std::pair<std::string, std::string>> files;
  files.emplace_back(find_source(spec.function)->first_field, args.path("file"));
  const double holdout = args.number("holdout");
  for (auto& named : args.more_paths()) {
    if (named.first == files[0].first)
      return Error{"`" + named.first + "` is the field of the first file",
                   {"give the other file's argument another name"},
                   {}};
    files.push_back(std::move(named));
  }
  if (Status read = args.finish(); !read) return read.error();

  Table table{spec.name, {}, 0, 0};
  for (const auto& [name, path] : files) {
    Result<Column> column = read_column(name, path);
    if (!column) return column.error();
    const std::int64_t rows = column->rows;
    if (!table.columns.empty() && rows != table.rows)
      return Error{"`" + path + "` has " + std::to_string(rows) + " examples, `" + files[0].second +
                       "` has " + std::to_string(table.rows),
                   {},
                   spec.name};
    table.rows = rows;
    column->location = [file = path](std::int64_t row) { return row_location(file, row); };
    table.columns.push_back(std::move(*column));
  }
  const Result<std::int64_t> train = rows_for_training(table.rows, holdout, spec.name);
  if (!train) return train.error();
  table.train_rows = *train;
  return table;
}

}  // namespace mtfc::runtime
