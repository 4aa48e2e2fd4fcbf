// npy(FILE, name=FILE, ..., holdout=0.1): arrays whose first extent numbers the examples. The first
// file's field is `data`, the others' are their arguments' names.
#include "runtime/data/args.h"
#include "runtime/data/table.h"

namespace mtfc::runtime {
namespace {

Result<Column> read_column(const std::string& name, const std::string& path) {
  const Result<Bytes> bytes = read_maybe_gzip(path);
  if (!bytes) return bytes.error();
  Result<NpyArray> array = parse_npy(*bytes, path);
  if (!array) return array.error();
  if (array->extents.empty())
    return Error{"`" + path + "` holds a single number: nothing numbers the examples", {}, {}};
  Column column{name, std::move(*array), 1, {}};
  if (column.values.kind == 'U') column.unusable = "it holds text";
  return column;
}

}  // namespace

Result<Table> open_npy(const SourceSpec& spec) {
  Args args(spec);
  std::vector<std::pair<std::string, std::string>> files;
  files.emplace_back("data", args.path({"file", "path", "data"}));
  const double holdout = args.number("holdout", 0.1);
  for (auto& named : args.remaining_paths()) files.push_back(std::move(named));
  if (Status read = args.finish(); !read) return read.error();

  Table table{spec.name, {}, 0, 0};
  for (const auto& [name, path] : files) {
    Result<Column> column = read_column(name, path);
    if (!column) return column.error();
    const std::int64_t rows = column->values.extents[0];
    if (!table.columns.empty() && rows != table.rows)
      return Error{"`" + path + "` has " + std::to_string(rows) + " examples, `" + files[0].second +
                       "` has " + std::to_string(table.rows),
                   {},
                   spec.name};
    table.rows = rows;
    table.columns.push_back(std::move(*column));
  }
  const Result<std::int64_t> train = rows_for_training(table.rows, holdout, spec.name);
  if (!train) return train.error();
  table.train_rows = *train;
  return table;
}

}  // namespace mtfc::runtime
