#include "kernels/contract_plan.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "kernels/element_loops.h"
#include "kernels/kernel.h"
#include "support/rounding.h"

namespace mtfc::runtime {
namespace {

using Factor = ContractSpec::Factor;
using Tensor = ContractPlan::Tensor;
constexpr Tensor kTensors[] = {ContractPlan::kA, ContractPlan::kB, ContractPlan::kC};

constexpr std::int64_t kDotSegment = 8192, kDotTask = 1 << 15;  // elements
constexpr double kSlabFlops = 4e6;                              // some tens of microseconds
constexpr double kTaskFlops = 1e6;

// What oneDNN makes of slabs (docs/performance.md): of rows it takes any number, but does not like
// fewer than 64 of a transposed a; a transposed b it packs anew for each slab, and reads it slower.
// Columns cost more than rows, below 128 much more.
constexpr std::int64_t kRowSlabs = 12, kFewestRows = 64, kMostRows = 256;
constexpr std::int64_t kFewRows = 256;  // cut in columns if there are more of them
constexpr std::int64_t kColumnSlab = 128;
constexpr std::int64_t kTransposedSlabs = 8;
constexpr std::int64_t kManyCalls = 16;  // need not be cut
constexpr double kTransposedSlabFlops = 2e7;

/// Of the library: operations of a nanosecond, and shares of these with an operand transposed. Of
/// our copies: nanoseconds of an element.
struct Rates {
  double most, a_transposed, b_transposed, copied;
};
constexpr Rates kAvx512{200, 1, 0.87, 0.7}, kAvx2{85, 0.65, 0.95, 1.6};
/// What has neither was not measured.
const Rates& rates() { return isa() == Isa::avx2 ? kAvx2 : kAvx512; }

/// The factors of one kind, with the strides that calls see: those of packed tensors in their
/// dense copies.
struct Groups {
  std::vector<Dim> batch, m, n, k;
};

DType dtype_of(const ContractSpec& spec, Tensor t) {
  return t == ContractPlan::kA ? spec.a : t == ContractPlan::kB ? spec.b : spec.c;
}

DType compute_type(const ContractSpec& spec) {
  for (const Tensor t : kTensors) {
    if (dtype_of(spec, t) == DType::f64) return DType::f64;
  }
  return DType::f32;
}

std::vector<Dim> dims_of(const std::vector<Factor>& factors) {
  std::vector<Dim> dims;
  for (const Factor& f : factors) {
    if (f.extent != 1) dims.push_back({f.extent, {f.a, f.b, f.c}});
  }
  return dims;
}

// The outer factor first, as one tensor has them.
void sort_by(std::vector<Dim>& dims, Tensor t) {
  std::stable_sort(dims.begin(), dims.end(),
                   [t](const Dim& x, const Dim& y) { return x.strides[t] > y.strides[t]; });
}

/// Gives the dims of `groups` (the last one varies fastest) dense strides in tensor t, and says
/// how the copy is made.
std::vector<Dim> make_dense(Tensor t, const std::vector<std::vector<Dim>*>& groups) {
  std::vector<Dim> pack;
  std::int64_t stride = 1;
  for (std::size_t g = groups.size(); g-- > 0;) {
    for (std::size_t d = groups[g]->size(); d-- > 0;) {
      Dim& dim = (*groups[g])[d];
      pack.insert(pack.begin(), {dim.extent, {dim.strides[t], stride}});
      dim.strides[t] = stride;
      stride *= dim.extent;
    }
  }
  return pack;
}

struct Packing {
  bool packed[3] = {};
};

class Attempt {
 public:
  Attempt(const ContractSpec& spec, Packing packing) : packing_(packing) {
    plan_.compute = compute_type(spec);
    groups_ = {dims_of(spec.batch), dims_of(spec.m), dims_of(spec.n), dims_of(spec.k)};
    order_factors();
    pack_tensors();
    for (auto* group : {&groups_.batch, &groups_.m, &groups_.n, &groups_.k})
      *group = merged(*group);
  }

  /// The best calls that these strides allow; its estimated time goes to `cost`.
  std::optional<ContractPlan> run(double& cost) {
    std::optional<ContractPlan> best;
    cost = std::numeric_limits<double>::infinity();
    for (int m = -1; m < static_cast<int>(groups_.m.size()); ++m) {
      for (int n = -1; n < static_cast<int>(groups_.n.size()); ++n) {
        for (int k = -1; k < static_cast<int>(groups_.k.size()); ++k) {
          for (const bool swapped : {false, true}) {
            const auto call = call_of(m, n, k, swapped);
            if (!call) continue;
            const double time = time_of(*call) + pack_time();
            if (time >= cost) continue;
            cost = time;
            best = with_call(*call, m, n, k, swapped);
          }
        }
      }
    }
    return best;
  }

 private:
  bool packed(Tensor t) const { return packing_.packed[t]; }

  // A group is ordered as a tensor that is not packed has it, so that its factors merge.
  void order_factors() {
    sort_by(groups_.batch, packed(ContractPlan::kC) ? ContractPlan::kA : ContractPlan::kC);
    sort_by(groups_.m, packed(ContractPlan::kC) ? ContractPlan::kA : ContractPlan::kC);
    sort_by(groups_.n, packed(ContractPlan::kC) ? ContractPlan::kB : ContractPlan::kC);
    sort_by(groups_.k, packed(ContractPlan::kA) ? ContractPlan::kB : ContractPlan::kA);
  }

  void pack_tensors() {
    using P = ContractPlan;
    Groups& g = groups_;
    for (const Tensor t : kTensors) {
      plan_.packed[t] = packed(t);
      if (!packed(t)) continue;
      auto& left = t == P::kB ? g.k : g.m;
      auto& right = t == P::kA ? g.k : g.n;
      plan_.pack[t] = make_dense(t, {&g.batch, &left, &right});
    }
  }

  static const Dim& chosen(const std::vector<Dim>& group, int i) {
    static const Dim one{1, {1, 1, 1}};
    return i < 0 ? one : group[static_cast<std::size_t>(i)];
  }

  struct Side {
    std::int64_t leading = 0;
    bool transposed = false;
  };
  // A [rows, columns] operand with these strides as a call wants it.
  static std::optional<Side> side(std::int64_t rows, std::int64_t row_stride, std::int64_t columns,
                                  std::int64_t column_stride, bool may_transpose) {
    const auto lead = [](std::int64_t count, std::int64_t stride, std::int64_t width) {
      return count == 1 ? std::max<std::int64_t>(width, 1) : stride;
    };
    if (columns == 1 || column_stride == 1) {
      const std::int64_t leading = lead(rows, row_stride, columns);
      if (leading >= columns) return Side{leading, false};
    }
    if (may_transpose && (rows == 1 || row_stride == 1)) {
      const std::int64_t leading = lead(columns, column_stride, rows);
      if (leading >= rows) return Side{leading, true};
    }
    return std::nullopt;
  }

  std::optional<Gemm> call_of(int m, int n, int k, bool swapped) const {
    const Dim &dm = chosen(swapped ? groups_.n : groups_.m, swapped ? n : m),
              &dn = chosen(swapped ? groups_.m : groups_.n, swapped ? m : n),
              &dk = chosen(groups_.k, k);
    const Tensor left = swapped ? ContractPlan::kB : ContractPlan::kA,
                 right = swapped ? ContractPlan::kA : ContractPlan::kB, c = ContractPlan::kC;
    const auto a = side(dm.extent, dm.strides[left], dk.extent, dk.strides[left], true);
    const auto b = side(dk.extent, dk.strides[right], dn.extent, dn.strides[right], true);
    const auto y = side(dm.extent, dm.strides[c], dn.extent, dn.strides[c], false);
    if (!a || !b || !y) return std::nullopt;
    return Gemm{dm.extent,  dn.extent,     dk.extent,     a->leading, b->leading,
                y->leading, a->transposed, b->transposed, false};
  }

  // Nanoseconds, roughly: a fixed cost a call, and a rate that falls with narrow shapes.
  double time_of(const Gemm& call) const {
    const auto reach = [](std::int64_t extent, double half) {
      return static_cast<double>(extent) / (static_cast<double>(extent) + half);
    };
    const double flops = 2.0 * static_cast<double>(call.m) * static_cast<double>(call.n) *
                         static_cast<double>(call.k);
    const double rate = rates().most * reach(call.m, 4) * reach(call.n, 12) * reach(call.k, 12) *
                        (call.a_transposed ? rates().a_transposed : 1) *
                        (call.b_transposed ? rates().b_transposed : 1);
    const double all =
        static_cast<double>(product(groups_.batch)) * static_cast<double>(product(groups_.m)) *
        static_cast<double>(product(groups_.n)) * static_cast<double>(product(groups_.k));
    const double calls = 2.0 * all / flops;
    return calls * (200 + flops / rate);
  }
  double pack_time() const {
    double time = 0;
    for (const Tensor t : kTensors) {
      if (packed(t)) time += 2000 + rates().copied * static_cast<double>(product(plan_.pack[t]));
    }
    return time;
  }

  ContractPlan with_call(const Gemm& call, int m, int n, int k, bool swapped) const {
    ContractPlan plan = plan_;
    plan.call = call;
    plan.swapped = swapped;
    plan.outer = groups_.batch;
    const auto rest = [](std::vector<Dim>& to, const std::vector<Dim>& group, int taken) {
      for (int i = 0; i < static_cast<int>(group.size()); ++i) {
        if (i != taken) to.push_back(group[static_cast<std::size_t>(i)]);
      }
    };
    rest(plan.outer, groups_.m, m);
    rest(plan.outer, groups_.n, n);
    rest(plan.inner, groups_.k, k);
    return plan;
  }

  Packing packing_;
  Groups groups_;
  ContractPlan plan_;
};

std::int64_t slab_columns(const Gemm& call, double flops) {
  return round_up(ceil_div(call.n, static_cast<std::int64_t>(flops / kSlabFlops) + 1), kColumnSlab);
}
std::int64_t slab_rows(const Gemm& call, double flops) {
  if (call.b_transposed) {
    const auto slabs = static_cast<std::int64_t>(flops / kTransposedSlabFlops) + 1;
    return round_up(ceil_div(call.m, std::min(slabs, kTransposedSlabs)), 16);
  }
  const auto most = static_cast<std::int64_t>(flops / kSlabFlops) + 1;
  const std::int64_t rows = std::clamp(ceil_div(call.m, kRowSlabs), kFewestRows, kMostRows);
  return round_up(std::max(std::min(rows, ceil_div(call.m, 4)), ceil_div(call.m, most)), 16);
}

// Slabs of a fixed size, whatever the number of threads: not all kernels of the library add in the
// same order for any number of rows.
void cut(ContractPlan& plan) {
  const Gemm& call = plan.call;
  const double depth = static_cast<double>(call.k) * static_cast<double>(product(plan.inner));
  const double flops = 2 * static_cast<double>(call.m) * static_cast<double>(call.n) * depth;
  plan.cut_columns = call.n > 2 * call.m && call.m < kFewRows;
  const std::int64_t extent = plan.cut_columns ? call.n : call.m;
  const std::int64_t calls = product(plan.outer);
  plan.slab = calls >= kManyCalls ? extent
              : plan.cut_columns  ? slab_columns(call, flops)
                                  : slab_rows(call, flops);
  plan.slab = std::min(extent, plan.slab);
  plan.slabs = ceil_div(extent, plan.slab);
  plan.items = calls * plan.slabs;
  const double item = flops / static_cast<double>(plan.slabs);
  plan.items_per_task = static_cast<std::int64_t>(kTaskFlops / (item + 1e4)) + 1;
}

bool is_empty(const std::vector<Factor>& factors) {
  return std::any_of(factors.begin(), factors.end(), [](auto& f) { return f.extent == 0; });
}

std::int64_t extent_of(const std::vector<Factor>& factors) {
  std::int64_t extent = 1;
  for (const Factor& f : factors) extent *= f.extent;
  return extent;
}

// Where results are single sums, or rows of one operand meet one vector, along memory.
std::optional<ContractPlan> plan_dots(const ContractSpec& spec) {
  const DType compute = compute_type(spec);
  for (const Tensor t : kTensors) {
    if (dtype_of(spec, t) != compute) return std::nullopt;
  }
  const std::int64_t m = extent_of(spec.m), n = extent_of(spec.n);
  const std::vector<Dim> k = merged(dims_of(spec.k));
  if ((m != 1 && n != 1) || k.size() != 1) return std::nullopt;
  const bool along = k[0].strides[0] == 1 && k[0].strides[1] == 1;
  if (!along && (m != 1 || n != 1)) return std::nullopt;
  ContractPlan plan;
  plan.form = ContractPlan::Form::dots;
  plan.compute = compute;
  plan.run = k[0].extent;
  plan.a_stride = k[0].strides[0];
  plan.b_stride = k[0].strides[1];
  plan.segments = ceil_div(plan.run, kDotSegment);
  for (const auto* group : {&spec.batch, &spec.m, &spec.n}) {
    for (const Dim& dim : dims_of(*group)) plan.outer.push_back(dim);
  }
  plan.outer = merged(plan.outer);
  plan.items = product(plan.outer) * plan.segments;
  plan.items_per_task =
      std::max<std::int64_t>(1, kDotTask / (std::min(plan.run, kDotSegment) + 2 * kSeekElements));
  return plan;
}

// By kernels of our own.
std::optional<ContractPlan> plan_micro(const ContractSpec& spec) {
  for (const Tensor t : kTensors) {
    if (dtype_of(spec, t) != DType::f32) return std::nullopt;
  }
  ProductFactors factors{dims_of(spec.batch), dims_of(spec.m), dims_of(spec.n), dims_of(spec.k)};
  sort_by(factors.m, ContractPlan::kC);
  sort_by(factors.n, ContractPlan::kC);
  sort_by(factors.k, ContractPlan::kA);
  for (auto* group : {&factors.batch, &factors.m, &factors.n, &factors.k}) *group = merged(*group);
  ContractPlan plan;
  plan.compute = DType::f32;
  if (auto small = plan_small_product(factors)) {
    plan.form = ContractPlan::Form::small;
    plan.small = std::move(*small);
    plan.items = plan.small.items();
    return plan;
  }
  if (const auto few_rows = plan_few_rows(factors)) {
    plan.form = ContractPlan::Form::few_rows;
    plan.few_rows = *few_rows;
    plan.items = few_rows->most_tasks();
    return plan;
  }
  return std::nullopt;
}

}  // namespace

ContractPlan plan_contract(const ContractSpec& spec) {
  ContractPlan best;
  if (is_empty(spec.batch) || is_empty(spec.m) || is_empty(spec.n) || is_empty(spec.k)) {
    best.form = ContractPlan::Form::empty;
    return best;
  }
  if (extent_of(spec.k) == 1) {
    best.form = ContractPlan::Form::multiply;
    return best;
  }
  if (const auto dots = plan_dots(spec)) return *dots;
  if (const auto micro = plan_micro(spec)) return *micro;
  double best_cost = std::numeric_limits<double>::infinity();
  for (int choice = 0; choice < 8; ++choice) {
    const Packing packing{{(choice & 1) != 0, (choice & 2) != 0, (choice & 4) != 0}};
    Attempt attempt(spec, packing);
    double cost = 0;
    const auto plan = attempt.run(cost);
    if (!plan) continue;
    bool possible = true;
    for (const Tensor t : kTensors) {
      possible = possible && (packing.packed[t] || dtype_of(spec, t) == plan->compute);
    }
    if (!possible || cost >= best_cost) continue;
    best_cost = cost;
    best = *plan;
  }
  cut(best);
  return best;
}

}  // namespace mtfc::runtime
