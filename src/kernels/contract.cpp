#include "kernels/contract.h"

#include <algorithm>

#include "kernels/contract_pieces.h"
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
  std::int64_t most_bytes = 0;  // of copies at once

  struct Piece {
    ContractPiece of;
    std::shared_ptr<const PreparedContract> prepared;
  };
  std::vector<Piece> pieces;  // one after the other instead of the whole
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

PreparedContract prepare(const ContractSpec& spec, std::int64_t most_bytes) {
  PreparedContract prepared;
  prepared.plan = plan_contract(spec);
  prepared.most_bytes = most_bytes;
  for (ContractPiece& piece : pieces_of(spec, prepared.plan, most_bytes)) {
    auto its = std::make_shared<PreparedContract>(prepare(piece.spec, most_bytes));
    prepared.pieces.push_back({std::move(piece), std::move(its)});
  }
  if (!prepared.pieces.empty()) return prepared;
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
  return plans.find([&] { return prepare(spec, kMostCopyBytes); });
}

// --- Pieces
/// `run(prepared, spec, calls)` for each piece, with the calls' tensors where the piece begins.
template <class Run>
void run_pieces(const PreparedContract& prepared, const Call* calls, int count, const Run& run) {
  const auto n = static_cast<std::size_t>(count);
  std::vector<const void*> inputs(2 * n);
  std::vector<void*> outputs(n);
  std::vector<Call> shifted(calls, calls + count);
  for (const auto& [piece, its] : prepared.pieces) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t t = 0; t < 2; ++t)
        inputs[2 * i + t] = static_cast<const char*>(calls[i].inputs[t]) + piece.offsets[t];
      outputs[i] = static_cast<char*>(calls[i].outputs[0]) + piece.offsets[Plan::kC];
      shifted[i].inputs = &inputs[2 * i];
      shifted[i].outputs = &outputs[i];
    }
    run(*its, piece.spec, shifted.data());
  }
}

/// How many calls make no more copies at once than they may; one at least.
int calls_at_once(const PreparedContract& prepared) {
  const std::int64_t bytes = std::max<std::int64_t>(1, bytes_of_copies(prepared.plan));
  return static_cast<int>(std::clamp<std::int64_t>(prepared.most_bytes / bytes, 1, 1 << 20));
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

/// By products of the library or sums along memory.
void run_with_copies(Pool& pool, const PreparedContract& prepared, const Call* calls, int count) {
  const Plan& plan = prepared.plan;
  const std::vector<Operands>& operands = bring_operands(pool, prepared, calls, count);
  if (plan.form == Plan::Form::dots)
    run_dots(pool, plan, operands.data(), count);
  else
    run_products(pool, prepared, operands, false);
  if (plan.packed[Plan::kC]) pack(pool, prepared, Plan::kC, calls, count, operands);
}

/// As many sums at once as copies have memory for, or one sum and some of its calls at a time.
void sum_slabs(Pool& pool, const PreparedContract& prepared, const Call* calls, int sums,
               int calls_of_sum) {
  const int most = calls_at_once(prepared);
  const int sums_at_once = std::max(1, most / calls_of_sum);
  const int calls_each = std::min(most, calls_of_sum);
  for (int s = 0; s < sums; s += sums_at_once) {
    const int some = std::min(sums_at_once, sums - s);
    for (int c = 0; c < calls_of_sum; c += calls_each) {
      const int each = std::min(calls_each, calls_of_sum - c);
      const auto& operands =
          bring_operands(pool, prepared, calls + s * calls_of_sum + c, some * each);
      run_summed_slabs(pool, prepared.plan, operands.data(), some, each, c > 0);
    }
  }
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
  return prepare_contract(spec, kMostCopyBytes);
}
std::shared_ptr<const PreparedContract> prepare_contract(const ContractSpec& spec,
                                                         std::int64_t most_bytes) {
  return std::make_shared<PreparedContract>(prepare(spec, most_bytes));
}

void contract(Pool& pool, const ContractSpec& spec, const Call* calls, int count) {
  contract(pool, find_prepared(spec), spec, calls, count);
}

void contract(Pool& pool, const PreparedContract& prepared, const ContractSpec& spec,
              const Call* calls, int count) {
  if (!prepared.pieces.empty())
    return run_pieces(prepared, calls, count, [&](auto& piece, auto& its_spec, const Call* its) {
      contract(pool, piece, its_spec, its, count);
    });
  const Plan& plan = prepared.plan;
  if (plan.form == Plan::Form::empty)
    return clear(pool, spec.c_size * bytes_of(spec.c), count,
                 [calls](std::int64_t i) { return calls[i].outputs[0]; });
  if (plan.form == Plan::Form::multiply) return map(pool, prepared.multiply, calls, count);
  if (plan.form == Plan::Form::small) return run_small_product(pool, plan.small, calls, count);
  if (plan.form == Plan::Form::few_rows) return run_few_rows(pool, plan.few_rows, calls, count);
  const int most = calls_at_once(prepared);
  for (int begin = 0; begin < count; begin += most)
    run_with_copies(pool, prepared, calls + begin, std::min(most, count - begin));
}

bool can_add(const ContractSpec& spec) { return adds_slabs(find_prepared(spec)); }

void contract_onto(Pool& pool, const ContractSpec& spec, const Call* calls, int count) {
  contract_onto(pool, find_prepared(spec), calls, count);
}
void contract_onto(Pool& pool, const PreparedContract& prepared, const Call* calls, int count) {
  if (!prepared.pieces.empty())
    return run_pieces(prepared, calls, count, [&](auto& piece, auto&, const Call* its) {
      contract_onto(pool, piece, its, count);
    });
  const int most = calls_at_once(prepared);
  for (int begin = 0; begin < count; begin += most) {
    const int some = std::min(most, count - begin);
    run_products(pool, prepared, bring_operands(pool, prepared, calls + begin, some), true);
  }
}

void make_ready(const PreparedContract& prepared) {
  for (const auto& piece : prepared.pieces) make_ready(*piece.prepared);
  if (prepared.plan.form != Plan::Form::products) return;
  load_product_library();
  if (prepared.plan.compute == DType::f32) prepare_gemm(prepared.plan.call);
}

bool adds_products(const PreparedContract& prepared) {
  return prepared.plan.form == Plan::Form::small && prepared.plan.small.terms() == 1;
}

bool adds_slabs(const PreparedContract& prepared) {
  for (const auto& piece : prepared.pieces)
    if (!adds_slabs(*piece.prepared)) return false;
  return prepared.plan.form == Plan::Form::products && !prepared.plan.packed[Plan::kC];
}

void contract_sums(Pool& pool, const PreparedContract& prepared, const Call* calls, int sums,
                   int calls_of_sum, int calls_of_part) {
  if (prepared.plan.form == Plan::Form::small)
    return run_sums_of_small_products(pool, prepared.plan.small, calls, sums, calls_of_sum,
                                      calls_of_part);
  MTFC_CHECK(calls_of_part == 1, "sums of large products in parts");
  if (!prepared.pieces.empty())
    return run_pieces(prepared, calls, sums * calls_of_sum,
                      [&](auto& piece, auto&, const Call* its) {
                        contract_sums(pool, piece, its, sums, calls_of_sum);
                      });
  make_ready(prepared);
  sum_slabs(pool, prepared, calls, sums, calls_of_sum);
}

}  // namespace mtfc::runtime
