#include "data/table.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "data/check_input.h"
#include "data/order.h"
#include "support/host_tensor.h"
#include "support/rounding.h"
#include "support/text.h"

namespace mtfc::runtime {
namespace {

std::int64_t record_elements(const Column& column) {
  return Block::whole(column.record).elements();
}

/// Converts `count` elements. The element types are chosen once for all of them.
template <class From>
void convert(const std::byte* from, std::int64_t count, double divisor, HostTensor& out,
             std::int64_t to) {
  const auto value = [from](std::int64_t i) {
    From number;  // of a file: it need not be aligned
    std::memcpy(&number, from + static_cast<std::size_t>(i) * sizeof number, sizeof number);
    return number;
  };
  if (out.dtype == DType::f32) {
    float* target = out.as<float>() + to;
    for (std::int64_t i = 0; i < count; ++i)
      target[i] = static_cast<float>(static_cast<double>(value(i)) / divisor);
  } else if (out.dtype == DType::i32) {
    std::int32_t* target = out.as<std::int32_t>() + to;
    for (std::int64_t i = 0; i < count; ++i) target[i] = static_cast<std::int32_t>(value(i));
  } else {
    for (std::int64_t i = 0; i < count; ++i)
      set_element(out, to + i, static_cast<double>(value(i)) / divisor);
  }
}

constexpr std::int64_t kTaskBytes = 64 << 10;  // of a batch, that one thread reads

/// Whether a finite value may be beyond the largest one of a float type.
bool may_exceed(const ArrayData& values, DType type) {
  if (values.kind() == 'f') return values.item_size() > static_cast<std::int64_t>(size_of(type));
  return std::ldexp(1, static_cast<int>(8 * values.item_size())) > largest(type);
}

/// Whether the bytes of a column are those of an input.
bool same_numbers(const Column& column, DType dtype) {
  const char kind = dtype == DType::f32 ? 'f' : 'i';
  return (dtype == DType::f32 || dtype == DType::i32) && column.divisor == 1 &&
         column.values.kind() == kind && column.values.item_size() == 4;
}

/// Elements `from` .. `from` + `count` - 1 of a column into `out`, from element `to` on.
Status copy_run(const Column& column, std::int64_t from, std::int64_t count, HostTensor& out,
                std::int64_t to) {
  const ArrayData& values = column.values;
  if (same_numbers(column, out.dtype))
    return values.read_into(
        from, std::span(out.data).subspan(static_cast<std::size_t>(to * values.item_size()),
                                          static_cast<std::size_t>(count * values.item_size())));
  const Result<const std::byte*> read = values.read(from, count);
  if (!read) return read.error();
  const auto is = [&](char kind, std::int64_t size) {
    return values.kind() == kind && values.item_size() == size;
  };
  if (is('u', 1) && out.dtype == DType::f32) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(*read);
    float* target = out.as<float>() + to;
    for (std::int64_t i = 0; i < count; ++i) target[i] = column.of_byte[bytes[i]];
  } else if (is('u', 1)) {
    convert<std::uint8_t>(*read, count, column.divisor, out, to);
  } else if (is('f', 4)) {
    convert<float>(*read, count, column.divisor, out, to);
  } else if (is('f', 8)) {
    convert<double>(*read, count, column.divisor, out, to);
  } else if (is('i', 8)) {
    convert<std::int64_t>(*read, count, column.divisor, out, to);
  } else {
    for (std::int64_t i = 0; i < count; ++i)
      set_element(out, to + i, values.number(*read + i * values.item_size()) / column.divisor);
  }
  return {};
}

/// A block of an example's record, or zeros if there is none (-1), as row `to` of `out`.
Status copy_row(const Column& column, std::int64_t example, const Block& block, HostTensor& out,
                std::int64_t to) {
  const std::int64_t elements = block.elements();
  if (example < 0) {
    const auto bytes =
        static_cast<std::ptrdiff_t>(elements) * static_cast<std::ptrdiff_t>(size_of(out.dtype));
    std::fill_n(out.data.begin() + to * bytes, bytes, std::byte{0});
    return {};
  }
  const std::int64_t record = record_elements(column);
  Status status;
  for_each_run(column.record, block, [&](std::int64_t from, std::int64_t at, std::int64_t count) {
    if (status) status = copy_run(column, example * record + from, count, out, to * elements + at);
  });
  return status;
}

class TableSource final : public Source {
 public:
  TableSource(Table table, std::int64_t seed)
      : table_(std::move(table)), order_(seed, table_.train_rows, table_.rows - table_.train_rows) {
    for (Column& column : table_.columns)
      for (int byte = 0; byte < 256; ++byte)
        column.of_byte[static_cast<std::size_t>(byte)] = static_cast<float>(byte / column.divisor);
  }

  std::int64_t examples(Split split) const override { return order_.examples(split); }

  Status accept(const InputSpec& input) override {
    Column* column = find(input.field);
    if (column == nullptr) return unknown_field(input, fields());
    if (column->unusable)
      return Error{
          "`" + input.source + "." + column->name + "` cannot be read: " + *column->unusable,
          {},
          input.name};
    if (Status fits = check_record(input, column->record); !fits) return fits;
    if (column->values.elements() == 0) return {};
    if (input.dtype == DType::i32) return check_whole(input, *column);
    return may_exceed(column->values, input.dtype) ? check_range(input, *column) : Status();
  }

  Status ready(const InputSpec& input, Split split) const override {
    return check_batch(input, split, examples(split));
  }

  Status fill(const InputSpec& input, const BatchIndex& batch, const Block& part,
              HostTensor& out) override {
    // The part is rows of the batch, and of each row a block of its record.
    const bool scalar = part.extents.empty();
    const std::int64_t first = scalar ? 0 : part.begin[0], rows = scalar ? 1 : part.extents[0];
    Block block{part.begin, part.extents};
    if (!scalar) block.begin.erase(block.begin.begin()), block.extents.erase(block.extents.begin());
    const Column& column = *find(input.field);
    std::vector<std::int64_t> examples(static_cast<std::size_t>(rows));
    for (std::int64_t i = 0; i < rows; ++i)
      examples[static_cast<std::size_t>(i)] = order_.example(batch, first + i);
    const std::int64_t bytes = block.elements() * static_cast<std::int64_t>(size_of(out.dtype)),
                       each =
                           std::max<std::int64_t>(kTaskBytes / std::max<std::int64_t>(bytes, 1), 1),
                       tasks = ceil_div(rows, each);
    std::vector<Status> filled(static_cast<std::size_t>(tasks));
    spread()(tasks, [&](std::int64_t task) {
      Status& status = filled[static_cast<std::size_t>(task)];
      for (std::int64_t i = task * each; i < std::min((task + 1) * each, rows) && status; ++i)
        status = copy_row(column, examples[static_cast<std::size_t>(i)], block, out, i);
    });
    for (const Status& status : filled)
      if (!status) return status;
    return {};
  }

 private:
  Column* find(const std::string& field) {
    if (field.empty() && table_.columns.size() == 1) return &table_.columns[0];
    for (Column& column : table_.columns)
      if (column.name == field) return &column;
    return nullptr;
  }

  std::vector<std::string> fields() const { return names_of(table_.columns); }

  std::string offset_of(const Column& column, std::int64_t element) const {
    const std::int64_t row = element / std::max<std::int64_t>(record_elements(column), 1);
    const std::string field = "`" + table_.name + "." + column.name + "`";
    return field + (column.location ? " (" + column.location(row) + ")"
                                    : " of example " + std::to_string(row));
  }

  /// `check(i, value)` of each element, until one fails.
  template <class Check>
  static Status check_each(const ArrayData& values, const Check& check) {
    constexpr std::int64_t chunk = 1 << 16;
    const std::int64_t all = values.elements();
    for (std::int64_t first = 0; first < all; first += chunk) {
      const std::int64_t last = std::min(first + chunk, all);
      const Result<const std::byte*> items = values.read(first, last - first);
      if (!items) return items.error();
      for (std::int64_t i = first; i < last; ++i)
        if (Status fits = check(i, values.number(*items + (i - first) * values.item_size())); !fits)
          return fits;
    }
    return {};
  }

  /// What is finite stays so in a float type of fewer bits.
  Status check_range(const InputSpec& input, const Column& column) const {
    const double most = largest(input.dtype);
    return check_each(column.values, [&](std::int64_t i, double value) -> Status {
      if (std::abs(value) <= most || !std::isfinite(value)) return {};
      return Error{offset_of(column, i) + " is " + shortest(value) + ", and the input `" +
                       input.name + "` is " + std::string(name(input.dtype)) + ", which ends at " +
                       shortest(most),
                   {},
                   input.name};
    });
  }

  /// An int input takes whole numbers of 32 bits, and ids must be places along their dimension.
  Status check_whole(const InputSpec& input, const Column& column) const {
    if (column.divisor != 1) return wrong_type(input, "numbers from 0 to 1");
    double largest = -1;
    std::int64_t at_largest = 0;
    const Status whole = check_each(column.values, [&](std::int64_t i, double value) {
      if (value > largest) largest = value, at_largest = i;
      return check_whole(input, column, i, value);
    });
    if (!whole) return whole;
    const auto id = static_cast<std::int64_t>(largest);
    return check_ids(
        input, id + 1,
        offset_of(column, at_largest) + " is " + std::to_string(id) + ", so the ids need");
  }

  Status check_whole(const InputSpec& input, const Column& column, std::int64_t i,
                     double value) const {
    using Limits = std::numeric_limits<std::int32_t>;
    const bool fits = value >= Limits::min() && value <= Limits::max();
    if (!fits || std::floor(value) != value)
      return Error{offset_of(column, i) + " is " + shortest(value) +
                       ", not a whole number of 32 bits, but the input `" + input.name + "` is int",
                   {},
                   input.name};
    if (input.ids != 0 && value < 0)
      return Error{offset_of(column, i) + " is " + std::to_string(std::int64_t(value)) +
                       ", which is not an index of `" + input.ids_dim + "`",
                   {},
                   input.name};
    return {};
  }

  Table table_;
  ExampleOrder order_;
};

}  // namespace

Column make_column(std::string name, NpyArray values, double divisor) {
  ArrayData data(values.kind, values.item_size);
  const std::int64_t elements = values.elements();
  data.add(std::make_shared<const Bytes>(std::move(values.data)), 0, elements);
  return {std::move(name),
          {values.extents.begin() + 1, values.extents.end()},
          std::move(data),
          divisor,
          {},
          values.extents[0]};
}

std::unique_ptr<Source> make_table_source(Table table, std::int64_t seed) {
  return std::make_unique<TableSource>(std::move(table), seed);
}

Result<std::int64_t> rows_for_training(std::int64_t rows, double holdout,
                                       const std::string& source) {
  if (!(holdout >= 0 && holdout < 1))
    return Error{"`holdout` must be at least 0 and less than 1", {}, source};
  // What is meant as a whole number stays one: 100 * (1 - 0.8) is less than 20.
  const double all = static_cast<double>(rows), exact = all * (1 - holdout),
               nearest = std::round(exact);
  return static_cast<std::int64_t>(std::abs(exact - nearest) <= all * 1e-15 ? nearest : exact);
}

}  // namespace mtfc::runtime
