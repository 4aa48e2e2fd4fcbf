// How a map is run: its iteration space as rows of columns, its program as steps over blocks.
#pragma once
#include <cstdint>
#include <vector>

#include "kernels/element_loops.h"
#include "kernels/extents.h"
#include "kernels/map.h"
#include "support/rounding.h"

namespace mtfc::runtime {

/// How often a value changes: one number for the whole call, one per row, one per element. Work is
/// done at the lowest rate that its arguments allow.
enum class Rate : std::uint8_t { once, row, element };

struct MapStep {
  enum class Kind : std::uint8_t {
    constant,
    point,
    load,
    iota,
    random,
    op,
    convert,
    expand,
    store
  };
  Kind kind{};
  Rate rate = Rate::element;
  DType dtype{};
  int value = -1;              // number of the value made
  int args[3] = {-1, -1, -1};  // numbers of values
  int arity = 0;
  int leaf = -1;         // operand, index leaf, random leaf or result
  int tensor = -1;       // of the leaf, in MapPlan::dims
  ScalarOp operation{};  // of an op
  OpBlock op = nullptr;
  ConvertBlock convert = nullptr;
  double constant = 0;
};

struct MapPlan {
  std::vector<Dim> dims;  // merged; the last one is the columns. One stride per leaf.
  std::int64_t columns = 1, rows = 1;
  std::int64_t block_rows = 1, block_columns = 1;  // of one of them there is only one
  std::int64_t pieces = 1;                         // of a row
  std::int64_t blocks = 0;
  std::int64_t blocks_per_task = 16;
  std::int64_t tasks() const { return ceil_div(blocks, blocks_per_task); }

  std::vector<MapStep> once, per_task, per_block;
  std::vector<Rate> rates;          // per value
  std::vector<std::int64_t> slots;  // per value: offset in scratch; -1: it is not kept there
  std::size_t once_bytes = 0;       // of the scratch, from its begin: what is made once
  std::size_t scratch_bytes = 0;

  /// A result that a step writes where it belongs. If a later step still reads an operand that may
  /// be the same memory, a call that has it so takes the detour over the scratch.
  struct Direct {
    int value = -1, result = -1;
    bool early = false;
  };
  std::vector<Direct> direct;

  bool once_value(int value) const { return rates[static_cast<std::size_t>(value)] == Rate::once; }
};

/// A function of the spec's contents alone, but for offsets, keys and distributions.
MapPlan plan_map(const MapSpec& spec);
/// The kernel, with the plan of the spec made before: for who calls it often on few elements.
void map(Pool& pool, const MapPlan& plan, const MapSpec& spec, const Call* calls, int count);

}  // namespace mtfc::runtime
