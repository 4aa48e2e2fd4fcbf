#include "kernels/map.h"

#include <algorithm>
#include <cstring>

#include "kernels/element_loops.h"
#include "kernels/map_plan.h"
#include "kernels/plan_cache.h"
#include "kernels/scratch.h"

namespace mtfc::runtime {
namespace {

// Only what the plan depends on: offsets, keys and distributions are read from the spec itself.
void describe(SpecKey& key, const MapSpec& spec) {
  key.add(spec.extents);
  for (const auto& operand : spec.operands) {
    key.add(static_cast<std::int64_t>(operand.dtype));
    key.add(operand.strides);
  }
  key.add(std::int64_t{-1});
  for (const auto& index : spec.index_leaves) key.add(std::int64_t{index.dim});
  key.add(std::int64_t{-2});
  for (const auto& random : spec.random_leaves) key.add(random.strides);
  key.add(static_cast<std::int64_t>(spec.body.code.size()));
  for (const auto& step : spec.body.code) {
    key.add(static_cast<std::int64_t>(step.kind) | static_cast<std::int64_t>(step.op) << 8 |
            static_cast<std::int64_t>(step.dtype) << 16 | std::int64_t{step.leaf} << 32);
    key.add(std::int64_t{step.args[0]} << 32 | (std::int64_t{step.args[1]} & 0xffffffff));
    key.add(std::int64_t{step.args[2]});
    key.add(step.value);
  }
  for (const int result : spec.body.results) key.add(std::int64_t{result});
}

// What changes neither with the element nor with the task, of one call.
class Once {
 public:
  void make(const MapPlan& plan, const MapSpec& spec, const Call& call);
  /// Null: not made.
  const char* bytes() const { return made_ ? bytes_.data() : nullptr; }
  void clear() { made_ = false; }

 private:
  bool made_ = false;
  std::vector<char> bytes_;
};

// One thread's run over some blocks of one call.
class Run {
 public:
  Run(const MapPlan& plan, const MapSpec& spec, const Call& call)
      : plan_(plan), spec_(spec), call_(call) {
    thread_local Scratch memory;
    const std::size_t pointers = (plan.slots.size() * sizeof(void*) + 63) / 64 * 64;
    char* base = memory.take(pointers + plan.scratch_bytes + 64);
    at_ = reinterpret_cast<void**>(base);
    scratch_ = base + pointers;
    for (std::size_t i = 0; i < plan.slots.size(); ++i) at_[i] = scratch_ + plan.slots[i];
    in_place_ = shares_memory();
  }

  /// `once`: what an earlier run of the call made, or null.
  void blocks(std::int64_t begin, std::int64_t end, const char* once) {
    if (once) {
      std::memcpy(scratch_, once, plan_.once_bytes);
    } else {
      make_once();
    }
    rows_ = plan_.block_rows;
    columns_ = plan_.block_columns;
    for (const MapStep& step : plan_.per_task) execute(step);
    for (std::int64_t b = begin; b < end; ++b) block(b);
  }

  const char* make_once() {
    row_ = 0;
    column_ = 0;
    rows_ = 1;
    columns_ = 1;
    for (const MapStep& step : plan_.once) execute(step);
    return scratch_;
  }

 private:
  bool shares_memory() const {
    for (const auto& direct : plan_.direct) {
      for (std::size_t o = 0; direct.early && o < spec_.operands.size(); ++o) {
        if (call_.outputs[direct.result] == call_.inputs[o]) return true;
      }
    }
    return false;
  }

  void block(std::int64_t b) {
    row_ = b / plan_.pieces * plan_.block_rows;
    column_ = b % plan_.pieces * plan_.block_columns;
    rows_ = std::min(plan_.block_rows, plan_.rows - row_);
    columns_ = std::min(plan_.block_columns, plan_.columns - column_);
    for (const auto& direct : plan_.direct) {
      if (direct.early && in_place_) continue;
      at_[direct.value] = result(direct.result);
    }
    for (const MapStep& step : plan_.per_block) execute(step);
  }

  char* result(int r) const {
    const auto number = spec_.body.results[static_cast<std::size_t>(r)];
    const DType dtype = spec_.body.code[static_cast<std::size_t>(number)].dtype;
    return static_cast<char*>(call_.outputs[r]) +
           (row_ * plan_.columns + column_) * bytes_of(dtype);
  }

  std::int64_t numbers(Rate rate) const {
    return rate == Rate::once ? 1 : rate == Rate::row ? rows_ : rows_ * columns_;
  }

  void execute(const MapStep& step) {
    switch (step.kind) {
      case MapStep::Kind::constant:
        table_.casts[static_cast<int>(step.dtype)][static_cast<int>(Repr::f64)](at_[step.value],
                                                                                &step.constant, 1);
        return;
      case MapStep::Kind::point:
        return point(step);
      case MapStep::Kind::load:
      case MapStep::Kind::iota:
      case MapStep::Kind::random:
        return leaf(step);
      case MapStep::Kind::op: {
        const void* args[3];
        for (int a = 0; a < step.arity; ++a) args[a] = at_[step.args[a]];
        step.op(at_[step.value], args, numbers(step.rate));
        return;
      }
      case MapStep::Kind::convert:
        return step.convert(at_[step.value], at_[step.args[0]], numbers(step.rate));
      case MapStep::Kind::expand:
        return expand(step);
      case MapStep::Kind::store:
        return store(step);
    }
  }

  void point(const MapStep& step) {
    const Walk walk(plan_.dims, plan_.dims.size() - 1, static_cast<std::size_t>(step.tensor), row_);
    const auto* x = static_cast<const char*>(call_.inputs[step.leaf]);
    // Only read: a step writes to its own value.
    at_[step.value] = const_cast<char*>(x + (walk.offset() + column_) * bytes_of(step.dtype));
  }

  void expand(const MapStep& step) {
    const ExpandBlock expand = table_.expands[static_cast<int>(repr_of(step.dtype))];
    const bool single = plan_.once_value(step.args[0]);
    expand(at_[step.value], at_[step.args[0]], single ? 1 : rows_,
           single ? rows_ * columns_ : columns_);
  }

  void store(const MapStep& step) {
    const void* from = at_[step.args[0]];
    void* to = result(step.leaf);
    if (from == to) return;
    table_.stores[static_cast<int>(step.dtype)](to, from, rows_ * columns_);
  }

  // Row by row where the outer dimensions turn over, else many rows in one go.
  void leaf(const MapStep& step) {
    const auto tensor = static_cast<std::size_t>(step.tensor);
    const std::int64_t column_stride = plan_.dims.back().strides[tensor];
    const std::int64_t columns = step.rate == Rate::element ? columns_ : 1;
    const std::int64_t rows = step.rate == Rate::once ? 1 : rows_;
    const std::int64_t size = bytes_of(repr_of(step.dtype));
    Walk walk(plan_.dims, plan_.dims.size() - 1, tensor, row_);
    auto* y = static_cast<char*>(at_[step.value]);
    for (std::int64_t done = 0; done < rows;) {
      const std::int64_t now = std::min(rows - done, walk.even());
      const std::int64_t start = walk.offset() + column_ * column_stride;
      part(step, y, start, now, walk.stride(), columns, column_stride);
      y += now * columns * size;
      done += now;
      walk.advance(now);
    }
  }

  void part(const MapStep& step, char* y, std::int64_t start, std::int64_t rows,
            std::int64_t row_stride, std::int64_t columns, std::int64_t column_stride) const {
    if (step.kind == MapStep::Kind::load) {
      const auto* x = static_cast<const char*>(call_.inputs[step.leaf]);
      table_.loads[static_cast<int>(step.dtype)](y, x + start * bytes_of(step.dtype), rows,
                                                 row_stride, columns, column_stride);
    } else if (step.kind == MapStep::Kind::iota) {
      const auto& leaf = spec_.index_leaves[static_cast<std::size_t>(step.leaf)];
      table_.iota(reinterpret_cast<std::int32_t*>(y), start + leaf.offset.at(call_.coordinates),
                  rows, row_stride, columns, column_stride);
    } else {
      sample(step, y, start, rows, row_stride, columns, column_stride);
    }
  }

  void sample(const MapStep& step, char* y, std::int64_t start, std::int64_t rows,
              std::int64_t row_stride, std::int64_t columns, std::int64_t column_stride) const {
    const auto& leaf = spec_.random_leaves[static_cast<std::size_t>(step.leaf)];
    SampleArgs args{leaf.distribution, step.dtype, leaf.a, leaf.b, leaf.key, 0};
    if (leaf.step_operand >= 0) {
      args.step = static_cast<std::uint32_t>(
          *static_cast<const std::int32_t*>(call_.inputs[leaf.step_operand]));
    }
    for (std::size_t d = 0; d < leaf.offsets.size(); ++d) {
      start += leaf.offsets[d].at(call_.coordinates) * leaf.strides[d];
    }
    if (leaf.first_operand >= 0) {
      start +=
          leaf.first_stride * *static_cast<const std::int32_t*>(call_.inputs[leaf.first_operand]);
    }
    if (columns == 1) return table_.sample(y, args, start, row_stride, rows);
    if (row_stride == columns * column_stride) {
      return table_.sample(y, args, start, column_stride, rows * columns);
    }
    const std::int64_t size = bytes_of(repr_of(step.dtype));
    for (std::int64_t r = 0; r < rows; ++r) {
      table_.sample(y + r * columns * size, args, start + r * row_stride, column_stride, columns);
    }
  }

  const MapPlan& plan_;
  const MapSpec& spec_;
  const Call& call_;
  const BlockTable& table_ = runtime::blocks();
  void** at_ = nullptr;
  char* scratch_ = nullptr;
  bool in_place_ = false;
  std::int64_t row_ = 0, column_ = 0, rows_ = 1, columns_ = 1;  // of the block at hand
};

void Once::make(const MapPlan& plan, const MapSpec& spec, const Call& call) {
  const char* made = Run(plan, spec, call).make_once();
  bytes_.assign(made, made + plan.once_bytes);
  made_ = true;
}

}  // namespace

double flops(const MapSpec& spec) {
  const auto operations =
      std::count_if(spec.body.code.begin(), spec.body.code.end(),
                    [](const ScalarInstruction& step) { return step.kind == LeafKind::none; });
  return static_cast<double>(operations) * static_cast<double>(product(spec.extents));
}

void map(Pool& pool, const MapSpec& spec, const Call* calls, int count) {
  thread_local Plans<MapPlan> plans;
  describe(plans.start(), spec);
  map(pool, plans.find([&] { return plan_map(spec); }), spec, calls, count);
}

void map(Pool& pool, const MapPlan& plan, const MapSpec& spec, const Call* calls, int count) {
  struct Job {
    const MapPlan& plan;
    const MapSpec& spec;
    const Call* calls;
    std::int64_t tasks;
    const char* once;
  };
  thread_local Once once;
  const std::int64_t tasks = plan.tasks();
  once.clear();
  if (count == 1 && tasks > 1) once.make(plan, spec, calls[0]);
  const Job job{plan, spec, calls, tasks, once.bytes()};
  pool.run(job.tasks * count, [&job](std::int64_t i) {
    const std::int64_t first = i % job.tasks * job.plan.blocks_per_task;
    Run run(job.plan, job.spec, job.calls[i / job.tasks]);
    run.blocks(first, std::min(first + job.plan.blocks_per_task, job.plan.blocks), job.once);
  });
}

}  // namespace mtfc::runtime
