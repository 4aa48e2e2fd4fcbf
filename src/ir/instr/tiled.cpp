#include "ir/instr/tiled.h"

#include <algorithm>

#include "support/rounding.h"

namespace mtfc {
namespace {

/// Products of so many rows run at the library's full speed.
constexpr std::int64_t kRowBlock = 128;
/// Each is a step of its own.
constexpr std::int64_t kMostBlocks = 16;

bool has_all(const ShardType& type, const DimList& dims) {
  return is_subset(dims, type.tensor.dims);
}
bool begins_with(const ShardType& type, const DimList& dims) {
  const DimList& all = type.tensor.dims;
  return all.size() >= dims.size() && std::equal(dims.begin(), dims.end(), all.begin());
}

/// A step by itself, and what its kind must have of the tile.
std::string check_step(const Tiled& tiled, const Tiled::Step& step, const InstrContext& c) {
  const auto complete = [](const ShardType& type) { return !type.sharding.is_partial(); };
  if (!std::all_of(c.in.begin(), c.in.end(), complete) ||
      !std::all_of(c.out.begin(), c.out.end(), complete))
    return "a step of partial values";
  const auto ask = [&]<class Kind>(const Kind& kind) -> std::string {
    if (std::string error = kind.check(c); !error.empty()) return error;
    const PartialResult partial = kind.partial(c.in, false);
    if (!partial || !partial->axes.empty()) return "a step makes a partial value";
    for (const ShardType& type : c.out)
      if (!has_all(type, tiled.dims)) return "a step makes a value without the tile's dimensions";
    if constexpr (!std::is_same_v<Kind, Map>)
      for (const ShardType& type : c.in)
        if (!has_all(type, tiled.dims)) return "a step sums values without the tile's dimensions";
    return "";
  };
  return std::visit(ask, step.kind);
}

}  // namespace

std::string Tiled::check(const InstrContext& c) const {
  if (steps.empty() || dims.empty() || !are_distinct(dims)) return "no steps or no tile";
  std::size_t count = c.in.size();
  for (const Step& step : steps) {
    for (const int number : step.from)
      if (number < 0 || static_cast<std::size_t>(number) >= count)
        return "a step reads a value that is not there yet";
    for (const ShardType& type : step.to)
      if (std::string error = check_law(c.dims, c.mesh, type); !error.empty()) return error;
    count += step.to.size();
  }
  std::string error;
  std::vector<const ShardType*> made;
  std::vector<bool> any_order;  // a product's result may be stored in any order
  each_step(c.in, [&](const Step& step, const ShardTypes& in, const ShardTypes& out) {
    if (error.empty()) error = check_step(*this, step, {c.dims, c.mesh, in, out});
    for (const ShardType& type : step.to) {
      made.push_back(&type);
      any_order.push_back(std::holds_alternative<Contract>(step.kind));
    }
  });
  if (!error.empty()) return error;
  if (results.size() != c.out.size() || results.empty()) return "wrong number of results";
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto number = static_cast<std::size_t>(results[i]) - c.in.size();
    if (results[i] < 0 || static_cast<std::size_t>(results[i]) < c.in.size() ||
        number >= made.size())
      return "a result that no step makes";
    if (std::count(results.begin(), results.end(), results[i]) > 1) return "a result occurs twice";
    if (*made[number] != c.out[i]) return "a result has another type than the step makes";
    if (!any_order[number] && !begins_with(c.out[i], dims))
      return "a result is not stored tile by tile";
  }
  return causal.empty() ? "" : check_causal(c);
}

std::string Tiled::check_causal(const InstrContext& c) const {
  if (causal.size() != 2 || !are_distinct(causal) || contains(dims, causal[0]) ||
      contains(dims, causal[1]))
    return "the causal dimensions are not rows and columns";
  const auto has = [](const ShardType& type, DimId dim) { return contains(type.tensor.dims, dim); };
  std::string error;
  std::vector<char> sums_rows(c.in.size(), false);  // by value
  each_step(c.in, [&](const Step& step, const ShardTypes& in, const ShardTypes& out) {
    for (const ShardTypes* types : {&in, &out})
      for (const ShardType& type : *types)
        for (DimId dim : causal)
          if (!split_of(type, dim).empty()) error = "a causal dimension is split";
    for (const int number : step.from)
      if (sums_rows[static_cast<std::size_t>(number)]) error = "a step reads a sum over rows";
    const bool rows = std::any_of(in.begin(), in.end(),
                                  [&](const ShardType& type) { return has(type, causal[0]); });
    for (const ShardType& type : out) {
      const bool sums = rows && !has(type, causal[0]);
      sums_rows.push_back(sums);
      if (sums && (!std::holds_alternative<Contract>(step.kind) || is_half(type.tensor.dtype) ||
                   !has(type, causal[1])))
        error = "a sum over rows cannot be made block by block";
    }
  });
  for (std::size_t i = 0; i < results.size() && error.empty(); ++i) {
    const auto number = static_cast<std::size_t>(results[i]);
    const DimList& made = c.out[i].tensor.dims;
    if (sums_rows[number]) continue;
    if (!contains(made, causal[0]) || contains(made, causal[1]))
      error = "a result is not made row by row";
    else if (position(made, causal[0]) != static_cast<int>(dims.size()) && !is_product(number, c))
      error = "a result is not stored row by row";
  }
  return error;
}

/// Whether a contraction makes the value.
bool Tiled::is_product(std::size_t number, const InstrContext& c) const {
  std::size_t next = c.in.size();
  for (const Step& step : steps)
    if (number < (next += step.to.size())) return std::holds_alternative<Contract>(step.kind);
  return false;
}

std::vector<Tiled::Block> Tiled::blocks(std::int64_t rows, std::int64_t columns) {
  const std::int64_t size = std::max<std::int64_t>(kRowBlock, ceil_div(rows, kMostBlocks));
  std::vector<Block> all;
  for (std::int64_t begin = 0; begin < rows; begin += size) {
    const std::int64_t end = std::min(begin + size, rows);
    all.push_back({begin, end - begin, std::min(end, columns)});
  }
  // The last rows may not reach all columns, of which sums over rows are made.
  if (!all.empty()) all.back().columns = columns;
  std::reverse(all.begin(), all.end());
  return all;
}

/// The part of rows by columns that is computed.
double Tiled::computed(const InstrContext& c) const {
  const std::int64_t rows = c.dims.size(causal[0]), columns = c.dims.size(causal[1]);
  double all = 0;
  for (const Block& block : blocks(rows, columns))
    all += static_cast<double>(block.rows) * static_cast<double>(block.columns);
  return all / (static_cast<double>(rows) * static_cast<double>(columns));
}

std::vector<Flops> Tiled::flops(const InstrContext& c) const {
  std::vector<Flops> all;
  const double computed = causal.empty() ? 1 : this->computed(c);
  each_step(c.in, [&](const Step& step, const ShardTypes& in, const ShardTypes& out) {
    const InstrContext of_step{c.dims, c.mesh, in, out};
    Flops& one = all.emplace_back(
        std::visit([&](const auto& kind) { return kind.flops(of_step); }, step.kind));
    if (!causal.empty() && is_subset(causal, one.shard.tensor.dims)) one.per_element *= computed;
  });
  return all;
}

}  // namespace mtfc
