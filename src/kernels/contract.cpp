#include "kernels/contract.h"

#include <algorithm>

#include "kernels/contract_plan.h"
#include "kernels/copy.h"
#include "kernels/element_loops.h"
#include "kernels/fill_zero.h"
#include "kernels/map.h"
#include "kernels/plan_cache.h"
#include "kernels/product_slabs.h"
#include "kernels/scratch.h"
#include "support/check.h"

namespace mtfc::runtime {

/// Made once per plan: the kernels that fill the copies of a and b and that empty the copy of c.
struct ContractPacks {
  CopySpec copies[3];
  MapSpec maps[3];  // where the type changes too
};

struct PreparedContract {
  ContractPlan plan;
  ContractPacks packs;
  MapSpec multiply;
  std::int64_t packed_size[3] = {};
};

namespace {

using Plan = ContractPlan;

// --- Packing: a tensor and its dense copy in the type that is computed in.
DType dtype_of(const ContractSpec& spec, int tensor) {
  return tensor == Plan::kA ? spec.a : tensor == Plan::kB ? spec.b : spec.c;
}

CopySpec copy_spec(const std::vector<Dim>& dims, int from, int to, std::size_t size) {
  CopySpec spec;
  spec.element_size = size;
  for (const Dim& dim : dims) {
    spec.extents.push_back(dim.extent);
    spec.x_strides.push_back(dim.strides[static_cast<std::size_t>(from)]);
    spec.y_strides.push_back(dim.strides[static_cast<std::size_t>(to)]);
  }
  return spec;
}

// A map writes densely, so it goes in the order of what it writes.
MapSpec cast_spec(std::vector<Dim> dims, int from, int to, DType x, DType y) {
  std::stable_sort(dims.begin(), dims.end(), [to](const Dim& p, const Dim& q) {
    return p.strides[static_cast<std::size_t>(to)] > q.strides[static_cast<std::size_t>(to)];
  });
  MapSpec spec;
  spec.operands.push_back({x, {}});
  for (const Dim& dim : dims) {
    spec.extents.push_back(dim.extent);
    spec.operands[0].strides.push_back(dim.strides[static_cast<std::size_t>(from)]);
  }
  spec.body.code = {scalar::operand(0, x), scalar::op(ScalarOp::cast, y, 0)};
  spec.body.results = {1};
  return spec;
}

ContractPacks packs_of(const ContractSpec& spec, const Plan& plan) {
  ContractPacks packs;
  for (int t = 0; t < 3; ++t) {
    if (!plan.packed[t]) continue;
    const DType dtype = dtype_of(spec, t);
    const int from = t == Plan::kC ? 1 : 0, to = 1 - from;
    if (dtype == plan.compute) {
      packs.copies[t] =
          copy_spec(plan.pack[t], from, to, static_cast<std::size_t>(bytes_of(dtype)));
    } else if (t == Plan::kC) {
      packs.maps[t] = cast_spec(plan.pack[t], from, to, plan.compute, dtype);
    } else {
      packs.maps[t] = cast_spec(plan.pack[t], from, to, dtype, plan.compute);
    }
  }
  return packs;
}

// --- A sum of one term: a product of elements.
MapSpec multiply_spec(const ContractSpec& spec) {
  std::vector<Dim> dims;
  for (const auto* group : {&spec.batch, &spec.m, &spec.n}) {
    for (const auto& f : *group) dims.push_back({f.extent, {f.a, f.b, f.c}});
  }
  std::stable_sort(dims.begin(), dims.end(),
                   [](const Dim& p, const Dim& q) { return p.strides[2] > q.strides[2]; });
  const DType compute = spec.a == DType::f64 || spec.b == DType::f64 || spec.c == DType::f64
                            ? DType::f64
                            : DType::f32;
  MapSpec map;
  map.operands = {{spec.a, {}}, {spec.b, {}}};
  for (const Dim& dim : dims) {
    map.extents.push_back(dim.extent);
    map.operands[0].strides.push_back(dim.strides[0]);
    map.operands[1].strides.push_back(dim.strides[1]);
  }
  map.body.code = {scalar::operand(0, spec.a),
                   scalar::operand(1, spec.b),
                   scalar::op(ScalarOp::cast, compute, 0),
                   scalar::op(ScalarOp::cast, compute, 1),
                   scalar::op(ScalarOp::mul, compute, 2, 3),
                   scalar::op(ScalarOp::cast, spec.c, 4)};
  map.body.results = {5};
  return map;
}

PreparedContract prepare(const ContractSpec& spec) {
  PreparedContract prepared;
  prepared.plan = plan_contract(spec);
  prepared.packs = packs_of(spec, prepared.plan);
  if (prepared.plan.form == Plan::Form::multiply) prepared.multiply = multiply_spec(spec);
  for (int t = 0; t < 3; ++t) prepared.packed_size[t] = product(prepared.plan.pack[t]);
  return prepared;
}

const PreparedContract& find_prepared(const ContractSpec& spec) {
  thread_local Plans<PreparedContract> plans;
  SpecKey& key = plans.start();
  key.add(static_cast<std::int64_t>(spec.a) | static_cast<std::int64_t>(spec.b) << 8 |
          static_cast<std::int64_t>(spec.c) << 16);
  for (const auto* group : {&spec.batch, &spec.m, &spec.n, &spec.k}) {
    key.add(static_cast<std::int64_t>(group->size()));
    for (const auto& f : *group) {
      key.add(f.extent);
      key.add(f.a);
      key.add(f.b);
      key.add(f.c);
    }
  }
  return plans.find([&] { return prepare(spec); });
}

// --- The calls
/// Runs the copying kernel of one tensor for every call, with the copies' places put in.
void pack(Pool& pool, const PreparedContract& prepared, int tensor, const Call* calls, int count,
          const std::vector<Operands>& operands) {
  thread_local std::vector<Call> packing;
  thread_local std::vector<const void*> inputs;
  thread_local std::vector<void*> outputs;
  packing.resize(static_cast<std::size_t>(count));
  inputs.resize(packing.size());
  outputs.resize(packing.size());
  for (std::size_t i = 0; i < packing.size(); ++i) {
    const Operands& o = operands[i];
    const char* copy = tensor == Plan::kA ? o.a : tensor == Plan::kB ? o.b : o.c;
    if (tensor == Plan::kC) {
      inputs[i] = copy;
      outputs[i] = calls[i].outputs[0];
    } else {
      inputs[i] = calls[i].inputs[tensor];
      outputs[i] = const_cast<char*>(copy);  // it is ours, in the scratch
    }
    packing[i] = {&inputs[i], &outputs[i], calls[i].coordinates};
  }
  const ContractPacks& packs = prepared.packs;
  if (packs.maps[tensor].operands.empty()) {
    copy(pool, packs.copies[tensor], packing.data(), count);
  } else {
    map(pool, packs.maps[tensor], packing.data(), count);
  }
}

/// Where each call's tensors are: its own, or their copies in the scratch.
void set_buffers(const PreparedContract& prepared, const Call* calls, int count, Scratch& memory,
                 std::vector<Operands>& operands) {
  const std::int64_t size = bytes_of(prepared.plan.compute);
  std::int64_t offsets[3], bytes = 0;
  for (int t = 0; t < 3; ++t) {
    offsets[t] = bytes;
    if (prepared.plan.packed[t]) bytes += (prepared.packed_size[t] * size + 63) / 64 * 64;
  }
  char* base = bytes > 0 ? memory.take(static_cast<std::size_t>(bytes * count)) : nullptr;
  operands.resize(static_cast<std::size_t>(count));
  for (int c = 0; c < count; ++c) {
    char* copies = base + bytes * c;
    const bool* packed = prepared.plan.packed;
    Operands& o = operands[static_cast<std::size_t>(c)];
    o.a = packed[0] ? copies + offsets[0] : static_cast<const char*>(calls[c].inputs[0]);
    o.b = packed[1] ? copies + offsets[1] : static_cast<const char*>(calls[c].inputs[1]);
    o.c = packed[2] ? copies + offsets[2] : static_cast<char*>(calls[c].outputs[0]);
  }
}

/// The factors, packed where the plan says so, and where the results are computed.
const std::vector<Operands>& bring_operands(Pool& pool, const PreparedContract& prepared,
                                            const Call* calls, int count) {
  thread_local Scratch memory;
  thread_local std::vector<Operands> operands;
  set_buffers(prepared, calls, count, memory, operands);
  for (const int t : {Plan::kA, Plan::kB})
    if (prepared.plan.packed[t]) pack(pool, prepared, t, calls, count, operands);
  return operands;
}

void run_products(Pool& pool, const PreparedContract& prepared,
                  const std::vector<Operands>& operands, bool onto) {
  make_ready(prepared);
  run_slabs(pool, prepared.plan, operands.data(), static_cast<int>(operands.size()), onto);
}

double points(const std::vector<ContractSpec::Factor>& factors) {
  double all = 1;
  for (const ContractSpec::Factor& factor : factors) all *= static_cast<double>(factor.extent);
  return all;
}

}  // namespace

double flops(const ContractSpec& spec) {
  return 2 * points(spec.batch) * points(spec.m) * points(spec.n) * points(spec.k);
}

std::shared_ptr<const PreparedContract> prepare_contract(const ContractSpec& spec) {
  return std::make_shared<PreparedContract>(prepare(spec));
}

void contract(Pool& pool, const ContractSpec& spec, const Call* calls, int count) {
  contract(pool, find_prepared(spec), spec, calls, count);
}

void contract(Pool& pool, const PreparedContract& prepared, const ContractSpec& spec,
              const Call* calls, int count) {
  const Plan& plan = prepared.plan;
  if (plan.form == Plan::Form::empty)
    return clear(pool, spec.c_size * bytes_of(spec.c), count,
                 [calls](std::int64_t i) { return calls[i].outputs[0]; });
  if (plan.form == Plan::Form::multiply) return map(pool, prepared.multiply, calls, count);
  if (plan.form == Plan::Form::small) return run_small_product(pool, plan.small, calls, count);
  if (plan.form == Plan::Form::few_rows) return run_few_rows(pool, plan.few_rows, calls, count);
  const std::vector<Operands>& operands = bring_operands(pool, prepared, calls, count);
  if (plan.form == Plan::Form::dots)
    run_dots(pool, plan, operands.data(), count);
  else
    run_products(pool, prepared, operands, false);
  if (plan.packed[Plan::kC]) pack(pool, prepared, Plan::kC, calls, count, operands);
}

bool can_add(const ContractSpec& spec) { return adds_slabs(find_prepared(spec)); }

void contract_onto(Pool& pool, const ContractSpec& spec, const Call* calls, int count) {
  const PreparedContract& prepared = find_prepared(spec);
  run_products(pool, prepared, bring_operands(pool, prepared, calls, count), true);
}

void make_ready(const PreparedContract& prepared) {
  if (prepared.plan.form != Plan::Form::products) return;
  load_product_library();
  if (prepared.plan.compute == DType::f32) prepare_gemm(prepared.plan.call);
}

bool adds_products(const PreparedContract& prepared) {
  return prepared.plan.form == Plan::Form::small && prepared.plan.small.terms() == 1;
}

bool adds_slabs(const PreparedContract& prepared) {
  return prepared.plan.form == Plan::Form::products && !prepared.plan.packed[Plan::kC];
}

void contract_sums(Pool& pool, const PreparedContract& prepared, const Call* calls, int sums,
                   int calls_of_sum, int calls_of_part) {
  if (prepared.plan.form == Plan::Form::small)
    return run_sums_of_small_products(pool, prepared.plan.small, calls, sums, calls_of_sum,
                                      calls_of_part);
  MTFC_CHECK(calls_of_part == 1, "sums of large products in parts");
  make_ready(prepared);
  const auto& operands = bring_operands(pool, prepared, calls, sums * calls_of_sum);
  run_summed_slabs(pool, prepared.plan, operands.data(), sums, calls_of_sum);
}

}  // namespace mtfc::runtime
