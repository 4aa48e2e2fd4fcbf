// A source that is a table: a row for each example, a column for each field.
#pragma once
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/array_data.h"
#include "data/source.h"

namespace mtfc::runtime {

struct Column {
  std::string name;
  std::vector<std::int64_t> record;  // extents of what one row holds
  ArrayData values;                  // of all rows
  double divisor = 1;                // what is read is values / divisor
  /// Columns that cannot be read as numbers say why here; it matters only if they are asked for.
  std::optional<std::string> unusable;
  std::int64_t rows = 0;
  std::array<float, 256> of_byte = {};  // what each unsigned byte is as f32: set by the source
  /// Where a row stands, for messages: "`a.csv`, line 3". Absent: in no file.
  std::function<std::string(std::int64_t)> location = {};
};
/// "`a.npy`, row 0"
inline std::string row_location(const std::string& path, std::int64_t row) {
  return "`" + path + "`, row " + std::to_string(row);
}
/// The first extent numbers the rows.
Column make_column(std::string name, NpyArray values, double divisor = 1);

/// The first `train_rows` rows are for training, the others for evaluation.
struct Table {
  std::string name;  // the source's
  std::vector<Column> columns;
  std::int64_t rows = 0, train_rows = 0;
};

std::unique_ptr<Source> make_table_source(Table table, std::int64_t seed);

/// How many of `rows` are for training when the last `holdout` part is kept for evaluation.
Result<std::int64_t> rows_for_training(std::int64_t rows, double holdout,
                                       const std::string& source);

// The sources that are tables.
Result<Table> open_idx(const SourceSpec& spec);
/// The files that it reads: images and labels, for training and for evaluation.
std::vector<std::string> idx_files(const std::string& directory);
Result<Table> open_npy(const SourceSpec& spec);
Result<Table> open_csv(const SourceSpec& spec);
Result<Table> draw_digits(const SourceSpec& spec);

// The others.
Result<std::unique_ptr<Source>> open_chars(const SourceSpec& spec, std::int64_t seed);
Result<std::unique_ptr<Source>> open_bytes(const SourceSpec& spec, std::int64_t seed);
Result<std::unique_ptr<Source>> open_bpe(const SourceSpec& spec, std::int64_t seed);
Result<std::unique_ptr<Source>> open_tokens(const SourceSpec& spec, std::int64_t seed);
Result<std::unique_ptr<Source>> open_tsv(const SourceSpec& spec, std::int64_t seed);
Result<std::unique_ptr<Source>> open_lines(const SourceSpec& spec, std::int64_t seed);
Result<std::unique_ptr<Source>> open_bert_pairs(const SourceSpec& spec, std::int64_t seed);
Result<std::unique_ptr<Source>> open_gaussian(const SourceSpec& spec);
Result<std::unique_ptr<Source>> open_gaussian_labels(const SourceSpec& spec);

}  // namespace mtfc::runtime
