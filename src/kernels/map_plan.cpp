#include "kernels/map_plan.h"

#include <algorithm>

#include "kernels/map_pairs.h"
#include "support/check.h"
#include "support/rounding.h"

namespace mtfc::runtime {
namespace {

constexpr std::int64_t kBlock = 1024;  // elements: a few values of them stay in the first cache

std::vector<Dim> dims_of(const MapSpec& spec) {
  std::vector<Dim> dims(spec.extents.size());
  for (std::size_t d = 0; d < dims.size(); ++d) {
    dims[d].extent = spec.extents[d];
    for (const auto& operand : spec.operands) dims[d].strides.push_back(operand.strides[d]);
    for (const auto& index : spec.index_leaves) {
      dims[d].strides.push_back(index.dim == static_cast<int>(d) ? 1 : 0);
    }
    for (const auto& random : spec.random_leaves) dims[d].strides.push_back(random.strides[d]);
  }
  dims = merged(dims);
  if (dims.empty()) {
    const std::size_t tensors =
        spec.operands.size() + spec.index_leaves.size() + spec.random_leaves.size();
    dims.push_back({1, std::vector<std::int64_t>(tensors, 0)});
  }
  return dims;
}

void cut_into_blocks(MapPlan& plan) {
  plan.columns = plan.dims.back().extent;
  plan.rows = product(plan.dims) / std::max<std::int64_t>(plan.columns, 1);
  if (plan.columns == 0) plan.rows = 0;
  if (plan.columns <= kBlock / 2) {
    plan.block_rows = std::clamp<std::int64_t>(kBlock / std::max<std::int64_t>(plan.columns, 1), 1,
                                               std::max<std::int64_t>(plan.rows, 1));
    plan.block_columns = plan.columns;
    plan.blocks = ceil_div(plan.rows, plan.block_rows);
    return;
  }
  plan.pieces = ceil_div(plan.columns, kBlock);
  plan.block_columns = ceil_div(plan.columns, plan.pieces);
  plan.block_columns = (plan.block_columns + 63) / 64 * 64;
  plan.pieces = ceil_div(plan.columns, plan.block_columns);
  plan.blocks = plan.rows * plan.pieces;
}

struct Value {
  Rate rate = Rate::element;
  Repr repr{};
  DType dtype{};
  bool lasting = false;  // made before the blocks
  bool pointed = false;  // in an operand's own memory
  int expanded = -1;     // the value that has it at element rate
  int rounded = -1;      // the value that has it rounded to its 16 bits
};

// Where the number of an instruction is. One of a 16-bit type is held in f32 and is rounded where
// that can be seen: when it is stored, compared or cast to another type.
struct Held {
  int value = -1;
  bool exact = true;  // it is a number of its type already
};

class Planner {
 public:
  explicit Planner(const MapSpec& spec) : spec_(spec) {
    plan_.dims = dims_of(spec);
    cut_into_blocks(plan_);
  }

  MapPlan run() {
    values_.resize(spec_.body.code.size());
    held_.resize(values_.size());
    for (std::size_t i = 0; i < spec_.body.code.size(); ++i) add(static_cast<int>(i));
    for (std::size_t r = 0; r < spec_.body.results.size(); ++r) add_result(static_cast<int>(r));
    for (const Value& v : values_) plan_.rates.push_back(v.rate);
    plan_.per_block = paired(std::move(plan_.per_block), plan_.rates);
    find_direct_results();
    assign_buffers();
    return std::move(plan_);
  }

 private:
  const ScalarInstruction& code(int i) const {
    return spec_.body.code[static_cast<std::size_t>(i)];
  }
  Value& value(int i) { return values_[static_cast<std::size_t>(i)]; }
  int new_value() {
    values_.push_back({});
    return static_cast<int>(values_.size()) - 1;
  }
  std::int64_t stride(std::size_t dim, int tensor) const {
    return plan_.dims[dim].strides[static_cast<std::size_t>(tensor)];
  }

  bool zero_outside(int tensor) const {
    for (std::size_t d = 0; d + 1 < plan_.dims.size(); ++d) {
      if (stride(d, tensor) != 0) return false;
    }
    return true;
  }
  Rate rate_of(int tensor) const {
    if (stride(plan_.dims.size() - 1, tensor) != 0) return Rate::element;
    return zero_outside(tensor) ? Rate::once : Rate::row;
  }
  bool dense(int tensor) const {
    std::int64_t expected = 1;
    for (std::size_t d = plan_.dims.size(); d-- > 0;) {
      if (stride(d, tensor) != expected) return false;
      expected *= plan_.dims[d].extent;
    }
    return true;
  }

  void push(MapStep step) {
    Value& made = value(step.value);
    made.rate = step.rate;
    made.dtype = step.dtype;
    made.repr = repr_of(step.dtype);
    const bool leaf = step.tensor >= 0;
    const bool every_row_alike = leaf && step.rate == Rate::element && plan_.block_rows > 1 &&
                                 zero_outside(step.tensor) && step.kind != MapStep::Kind::point;
    made.lasting = step.rate == Rate::once || every_row_alike;
    made.pointed = step.kind == MapStep::Kind::point;
    (step.rate == Rate::once ? plan_.once
     : every_row_alike       ? plan_.per_task
                             : plan_.per_block)
        .push_back(step);
  }

  void add(int i) {
    held_[static_cast<std::size_t>(i)] = {i, !is_half(code(i).dtype)};
    MapStep step;
    step.value = i;
    step.dtype = code(i).dtype;
    step.leaf = code(i).leaf;
    switch (code(i).kind) {
      case LeafKind::none:
        return add_op(step);
      case LeafKind::operand:
        return add_operand(step);
      case LeafKind::constant:
        step.kind = MapStep::Kind::constant;
        step.rate = Rate::once;
        step.constant = code(i).value;
        if (is_half(step.dtype)) step.dtype = DType::f32;
        return push(step);
      case LeafKind::index:
        return add_index(step);
      case LeafKind::random:
        held_[static_cast<std::size_t>(i)].exact = true;
        step.kind = MapStep::Kind::random;
        step.tensor =
            static_cast<int>(spec_.operands.size() + spec_.index_leaves.size()) + step.leaf;
        step.rate = rate_of(step.tensor);
        return push(step);
    }
  }

  void add_operand(MapStep step) {
    held_[static_cast<std::size_t>(step.value)].exact = true;
    step.tensor = step.leaf;
    step.rate = rate_of(step.tensor);
    step.dtype = spec_.operands[static_cast<std::size_t>(step.leaf)].dtype;
    const bool in_place = plan_.block_rows == 1 ? stride(plan_.dims.size() - 1, step.tensor) == 1
                                                : dense(step.tensor);
    step.kind = step.rate == Rate::element && in_place && !is_half(step.dtype)
                    ? MapStep::Kind::point
                    : MapStep::Kind::load;
    push(step);
  }

  void add_index(MapStep step) {
    held_[static_cast<std::size_t>(step.value)].exact = true;
    const int result = step.value;
    const DType dtype = step.dtype;
    step.kind = MapStep::Kind::iota;
    step.tensor = static_cast<int>(spec_.operands.size()) + step.leaf;
    step.rate = rate_of(step.tensor);
    step.dtype = DType::i32;
    if (dtype != DType::i32) step.value = new_value();
    push(step);
    if (dtype == DType::i32) return;
    MapStep cast;
    cast.kind = MapStep::Kind::convert;
    cast.rate = step.rate;
    cast.dtype = dtype;
    cast.value = result;
    cast.arity = 1;
    cast.args[0] = step.value;
    cast.convert = blocks().casts[static_cast<int>(dtype)][static_cast<int>(Repr::i32)];
    push(cast);
  }

  // The value at element rate, spread over its row if need be.
  int at_element_rate(int i) {
    if (value(i).rate == Rate::element) return i;
    if (value(i).expanded >= 0) return value(i).expanded;
    MapStep step;
    step.kind = MapStep::Kind::expand;
    step.dtype = value(i).dtype;
    step.value = new_value();
    step.arity = 1;
    step.args[0] = i;
    push(step);
    return value(i).expanded = step.value;
  }

  void add_op(MapStep step) {
    const ScalarInstruction& instruction = code(step.value);
    const bool sees_bits = instruction.op == ScalarOp::cast || gives_bool(instruction.op);
    bool exact = row(instruction.op).rounding == Rounding::exact;
    step.arity = 0;
    step.rate = Rate::once;
    for (const int arg : instruction.args) {
      if (arg < 0) break;
      const Held& held = held_[static_cast<std::size_t>(arg)];
      exact = exact && held.exact;
      step.args[step.arity++] = sees_bits ? rounded(arg) : held.value;
      step.rate = std::max(step.rate, value(held.value).rate);
    }
    if (instruction.op == ScalarOp::cast) return add_cast(step);
    held_[static_cast<std::size_t>(step.value)].exact |= exact;
    // The type that an operation works in is that of its last argument: of a comparison and of a
    // selection too.
    const Repr repr = value(step.args[step.arity - 1]).repr;
    int pattern = 0;
    for (int a = 0; a < step.arity; ++a) pattern |= one_number(step, a) << a;
    if (step.arity == 1) pattern = 0;
    step.kind = MapStep::Kind::op;
    step.operation = instruction.op;
    step.op = blocks().ops[static_cast<int>(instruction.op)][static_cast<int>(repr)][pattern];
    MTFC_CHECK(step.op != nullptr, "a scalar operation that its type does not have");
    push(step);
  }

  // The value of instruction i as a number of its type.
  int rounded(int i) {
    const Held held = held_[static_cast<std::size_t>(i)];
    if (held.exact) return held.value;
    if (value(held.value).rounded >= 0) return value(held.value).rounded;
    MapStep step;
    step.kind = MapStep::Kind::convert;
    step.dtype = code(i).dtype;
    step.rate = value(held.value).rate;
    step.value = new_value();
    step.arity = 1;
    step.args[0] = held.value;
    step.convert = blocks().rounds[static_cast<int>(step.dtype)];
    push(step);
    return value(held.value).rounded = step.value;
  }

  // Whether argument a is one number where the result has many; spreads it if it is many elsewhere.
  int one_number(MapStep& step, int a) {
    const Rate rate = value(step.args[a]).rate;
    if (rate == step.rate) return 0;
    if (rate == Rate::once || plan_.block_rows == 1) return 1;
    step.args[a] = at_element_rate(step.args[a]);
    return 0;
  }

  void add_cast(MapStep step) {
    if (is_half(step.dtype) && value(step.args[0]).repr == Repr::f32) {
      held_[static_cast<std::size_t>(step.value)].value = step.args[0];
      return;
    }
    held_[static_cast<std::size_t>(step.value)].exact = true;
    step.kind = MapStep::Kind::convert;
    const auto from = static_cast<int>(value(step.args[0]).repr);
    step.convert = blocks().casts[static_cast<int>(step.dtype)][from];
    push(step);
  }

  void add_result(int r) {
    MapStep step;
    step.kind = MapStep::Kind::store;
    step.arity = 1;
    const int number = spec_.body.results[static_cast<std::size_t>(r)];
    step.args[0] = at_element_rate(held_[static_cast<std::size_t>(number)].value);
    step.dtype = code(number).dtype;
    step.leaf = r;
    plan_.per_block.push_back(step);
  }

  // Which results the step that makes them can write where they belong.
  void find_direct_results() {
    auto& steps = plan_.per_block;
    std::vector<MapStep> kept;
    for (const MapStep& step : steps) {
      const bool candidate = step.kind == MapStep::Kind::store && !is_half(step.dtype) &&
                             !value(step.args[0]).lasting && !value(step.args[0]).pointed &&
                             std::none_of(plan_.direct.begin(), plan_.direct.end(),
                                          [&](auto& d) { return d.value == step.args[0]; });
      if (!candidate) {
        kept.push_back(step);
        continue;
      }
      const bool early = operand_is_read_after(step.args[0]);
      plan_.direct.push_back({step.args[0], step.leaf, early});
      if (early) kept.push_back(step);
    }
    steps = std::move(kept);
  }

  bool operand_is_read_after(int made) {
    bool after = false;
    for (const MapStep& step : plan_.per_block) {
      if (after && step.kind == MapStep::Kind::load) return true;
      for (int a = 0; after && a < step.arity; ++a) {
        if (value(step.args[a]).pointed) return true;
      }
      after = after || (step.kind != MapStep::Kind::store && step.value == made);
    }
    return false;
  }

  // --- Places in the scratch: values that live at different times share one.
  void assign_buffers() {
    plan_.slots.assign(values_.size(), -1);
    std::int64_t widest = 1;
    for (const Value& v : values_) widest = std::max(widest, bytes_of(v.repr));
    const std::int64_t block = (plan_.block_rows * plan_.block_columns * widest + 63) / 64 * 64;
    for (const bool once : {true, false}) {
      for (std::size_t i = 0; i < values_.size(); ++i) {
        if (!values_[i].lasting || (values_[i].rate == Rate::once) != once) continue;
        plan_.slots[i] = next_;
        next_ += once ? 64 : block;
      }
      if (once) plan_.once_bytes = static_cast<std::size_t>(next_);
    }
    std::vector<int> last(values_.size(), -1);
    for (std::size_t s = 0; s < plan_.per_block.size(); ++s) {
      const MapStep& step = plan_.per_block[s];
      for (int a = 0; a < step.arity; ++a) {
        last[static_cast<std::size_t>(step.args[a])] = static_cast<int>(s);
      }
    }
    std::vector<std::int64_t> free;
    for (std::size_t s = 0; s < plan_.per_block.size(); ++s) {
      const MapStep& step = plan_.per_block[s];
      if (step.value >= 0 && wants_slot(step.value)) {
        if (free.empty()) {
          free.push_back(next_);
          next_ += block;
        }
        plan_.slots[static_cast<std::size_t>(step.value)] = free.back();
        free.pop_back();
      }
      release(step, static_cast<int>(s), last, free);
    }
    plan_.scratch_bytes = static_cast<std::size_t>(next_);
  }

  bool wants_slot(int i) {
    if (value(i).pointed) return false;
    for (const auto& direct : plan_.direct) {
      if (direct.value == i && !direct.early) return false;
    }
    return true;
  }

  void release(const MapStep& step, int s, const std::vector<int>& last,
               std::vector<std::int64_t>& free) {
    const auto give_back = [&](int i) {
      const auto n = static_cast<std::size_t>(i);
      if (value(i).lasting || plan_.slots[n] < 0) return;
      if (std::find(free.begin(), free.end(), plan_.slots[n]) == free.end()) {
        free.push_back(plan_.slots[n]);
      }
    };
    for (int a = 0; a < step.arity; ++a) {
      if (last[static_cast<std::size_t>(step.args[a])] == s) give_back(step.args[a]);
    }
    if (step.value >= 0 && last[static_cast<std::size_t>(step.value)] < 0) give_back(step.value);
  }

  const MapSpec& spec_;
  MapPlan plan_;
  std::vector<Value> values_;
  std::vector<Held> held_;  // per instruction
  std::int64_t next_ = 0;
};

}  // namespace

MapPlan plan_map(const MapSpec& spec) { return Planner(spec).run(); }

}  // namespace mtfc::runtime
