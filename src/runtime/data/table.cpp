#include "runtime/data/table.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "runtime/data/fit.h"
#include "runtime/data/order.h"
#include "runtime/files/elements.h"

namespace mtfc::runtime {
namespace {

std::vector<std::int64_t> record_of(const Column& column) {
  const auto& extents = column.values.extents;
  return {extents.begin() + 1, extents.end()};
}

std::int64_t record_elements(const Column& column) {
  std::int64_t product = 1;
  for (const std::int64_t extent : record_of(column)) product *= extent;
  return product;
}

/// Converts `count` elements from `from` on. The element types are chosen once for all of them.
template <class From>
void convert(const Column& column, std::int64_t from, std::int64_t count, HostTensor& out,
             std::int64_t to) {
  const auto* source = reinterpret_cast<const From*>(column.values.data.data()) + from;
  if (out.dtype == DType::f32) {
    float* target = out.as<float>() + to;
    for (std::int64_t i = 0; i < count; ++i)
      target[i] = static_cast<float>(static_cast<double>(source[i]) / column.divisor);
  } else if (out.dtype == DType::i32) {
    std::int32_t* target = out.as<std::int32_t>() + to;
    for (std::int64_t i = 0; i < count; ++i) target[i] = static_cast<std::int32_t>(source[i]);
  } else {
    for (std::int64_t i = 0; i < count; ++i)
      set_element(out, to + i, static_cast<double>(source[i]) / column.divisor);
  }
}

void copy_row(const Column& column, std::int64_t row, HostTensor& out, std::int64_t out_row) {
  const std::int64_t count = record_elements(column);
  const NpyArray& values = column.values;
  const std::int64_t from = row * count, to = out_row * count;
  if (values.kind == 'u' && values.item_size == 1)
    return convert<std::uint8_t>(column, from, count, out, to);
  if (values.kind == 'f' && values.item_size == 4)
    return convert<float>(column, from, count, out, to);
  if (values.kind == 'f' && values.item_size == 8)
    return convert<double>(column, from, count, out, to);
  if (values.kind == 'i' && values.item_size == 8)
    return convert<std::int64_t>(column, from, count, out, to);
  for (std::int64_t i = 0; i < count; ++i)
    set_element(out, to + i, values.at(from + i) / column.divisor);
}

class TableSource final : public Source {
 public:
  TableSource(Table table, std::int64_t seed)
      : table_(std::move(table)),
        order_(seed, table_.train_rows, table_.rows - table_.train_rows) {}

  std::int64_t examples(Split split) const override { return order_.examples(split); }

  Status accept(const InputSpec& input) override {
    const Column* column = find(input.field);
    if (column == nullptr) return unknown_field(input, fields());
    if (column->unusable)
      return Error{
          "`" + input.source + "." + column->name + "` cannot be read: " + *column->unusable,
          {},
          input.name};
    if (Status fits = check_record(input, record_of(*column)); !fits) return fits;
    return input.dtype == DType::i32 ? check_whole(input, *column) : Status();
  }

  Status ready(const InputSpec& input) const override {
    return check_batch(input, examples(Split::train));
  }

  Status fill(const InputSpec& input, const BatchPlace& place, HostTensor& out) override {
    const Column& column = *find(input.field);
    std::fill(out.data.begin(), out.data.end(), std::byte{0});
    for (std::int64_t i = 0; i < place.size; ++i)
      if (const std::int64_t row = order_.example(place, i); row >= 0)
        copy_row(column, row, out, i);
    return {};
  }

 private:
  const Column* find(const std::string& field) const {
    if (field.empty() && table_.columns.size() == 1) return &table_.columns[0];
    for (const Column& column : table_.columns)
      if (column.name == field) return &column;
    return nullptr;
  }

  std::vector<std::string> fields() const {
    std::vector<std::string> names;
    for (const Column& column : table_.columns) names.push_back(column.name);
    return names;
  }

  std::string place_of(const Column& column, std::int64_t element) const {
    const std::int64_t row = element / std::max<std::int64_t>(record_elements(column), 1);
    return "`" + table_.name + "." + column.name + "` of example " + std::to_string(row);
  }

  /// An int input takes whole numbers of 32 bits, and ids must be places along their dimension.
  Status check_whole(const InputSpec& input, const Column& column) const {
    if (column.divisor != 1) return wrong_type(input, "numbers from 0 to 1");
    double largest = -1;
    std::int64_t at_largest = 0;
    for (std::int64_t i = 0; i < column.values.elements(); ++i) {
      const double value = column.values.at(i);
      const bool fits = std::abs(value) <= std::numeric_limits<std::int32_t>::max();
      if (!fits || std::floor(value) != value)
        return Error{place_of(column, i) + " is no whole number of 32 bits, but the input `" +
                         input.name + "` is int",
                     {},
                     input.name};
      if (input.ids != 0 && value < 0)
        return Error{place_of(column, i) + " is " + std::to_string(std::int64_t(value)) +
                         ", which is no place along `" + input.ids_dim + "`",
                     {},
                     input.name};
      if (value > largest) largest = value, at_largest = i;
    }
    const auto id = static_cast<std::int64_t>(largest);
    return check_ids(
        input, id + 1,
        place_of(column, at_largest) + " is " + std::to_string(id) + ", so the ids need");
  }

  Table table_;
  ExampleOrder order_;
};

}  // namespace

std::unique_ptr<Source> make_table_source(Table table, std::int64_t seed) {
  return std::make_unique<TableSource>(std::move(table), seed);
}

Result<std::int64_t> rows_for_training(std::int64_t rows, double holdout,
                                       const std::string& source) {
  if (!(holdout >= 0 && holdout < 1))
    return Error{"`holdout` must be at least 0 and less than 1", {}, source};
  return static_cast<std::int64_t>(static_cast<double>(rows) * (1 - holdout));
}

}  // namespace mtfc::runtime
