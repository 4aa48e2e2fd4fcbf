// Rates of the local kernels on the shapes of a small GPT (4 layers, 4 heads, 128 wide, 12 x 64
// tokens). Not a test: run it by hand, on a quiet machine.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "kernels/kernels.h"
#include "kernels/pool.h"

using namespace mtfc;
using namespace mtfc::runtime;

namespace {

/// Seconds of one run: the best of many short samples, because the machine may be shared.
double seconds(const std::function<void()>& run) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  run();
  auto start = Clock::now();
  run();
  const int repeats = static_cast<int>(5e-4 / (since(start) + 1e-7)) + 1;
  std::vector<double> samples;
  for (int s = 0; s < 100; ++s) {
    start = Clock::now();
    for (int r = 0; r < repeats; ++r) run();
    samples.push_back(since(start) / repeats);
  }
  return *std::min_element(samples.begin(), samples.end());
}

Pool one(1), two(2);

void line(const std::string& name, double amount, const char* unit, bool per,
          const std::function<void(Pool&)>& run) {
  const double t1 = seconds([&] { run(one); }), t2 = seconds([&] { run(two); });
  const auto rate = [&](double t) { return per ? t * 1e9 / amount : amount / t * 1e-9; };
  std::printf("%-34s %8.3f %8.3f %s   (%.1f, %.1f us)\n", name.c_str(), rate(t1), rate(t2), unit,
              t1 * 1e6, t2 * 1e6);
}

using F = ContractSpec::Factor;

void product(const std::string& name, std::vector<F> batch, std::vector<F> m, std::vector<F> n,
             std::vector<F> k) {
  ContractSpec spec;
  spec.a = spec.b = spec.c = DType::f32;
  std::int64_t flops = 2, sizes[3] = {1, 1, 1};
  for (const auto* group : {&batch, &m, &n, &k}) {
    for (const F& f : *group) {
      flops *= f.extent;
      if (group != &n) sizes[0] *= f.extent;
      if (group != &m) sizes[1] *= f.extent;
      if (group != &k) sizes[2] *= f.extent;
    }
  }
  spec.batch = std::move(batch);
  spec.m = std::move(m);
  spec.n = std::move(n);
  spec.k = std::move(k);
  spec.a_size = sizes[0];
  spec.b_size = sizes[1];
  spec.c_size = sizes[2];
  std::vector<float> a(static_cast<std::size_t>(sizes[0]), 0.5f),
      b(static_cast<std::size_t>(sizes[1]), 0.25f), c(static_cast<std::size_t>(sizes[2]));
  const void* inputs[] = {a.data(), b.data()};
  void* outputs[] = {c.data()};
  const Call call{inputs, outputs, nullptr};
  line(name, static_cast<double>(flops), "GFLOP/s", false,
       [&](Pool& pool) { contract(pool, spec, &call, 1); });
}

void products() {
  std::printf("products: %s, %s; 1 and 2 threads\n", product_library(), instruction_set());
  product("qkv 768x128x384", {}, {{768, 128, 0, 384}}, {{384, 0, 1, 1}}, {{128, 1, 384, 0}});
  product("fc1 768x128x512", {}, {{768, 128, 0, 512}}, {{512, 0, 1, 1}}, {{128, 1, 512, 0}});
  product("fc2 768x512x128", {}, {{768, 512, 0, 128}}, {{128, 0, 1, 1}}, {{512, 1, 128, 0}});
  product("fc1 dX 768x512x128, b transposed", {}, {{768, 512, 0, 128}}, {{128, 0, 512, 1}},
          {{512, 1, 1, 0}});
  product("fc1 dW 128x768x512, a transposed", {}, {{128, 1, 0, 512}}, {{512, 0, 1, 1}},
          {{768, 128, 512, 0}});
  product("fc2 dW 512x768x128, a transposed", {}, {{512, 1, 0, 128}}, {{128, 0, 1, 1}},
          {{768, 512, 128, 0}});
  product("head 768x128x65", {}, {{768, 128, 0, 65}}, {{65, 0, 1, 1}}, {{128, 1, 65, 0}});
  // Tensors [batch 12, length 64, head 4, 32]; scores [12, 4, 64, 64].
  const F b{12, 64 * 128, 64 * 128, 4 * 64 * 64}, h{4, 32, 32, 64 * 64};
  product("attention q k: 48 x 64x32x64", {b, h}, {{64, 128, 0, 64}}, {{64, 0, 128, 1}},
          {{32, 1, 1, 0}});
  const F pb{12, 4 * 64 * 64, 64 * 128, 64 * 128}, ph{4, 64 * 64, 32, 32};
  product("attention p v: 48 x 64x64x32", {pb, ph}, {{64, 64, 0, 128}}, {{32, 0, 1, 1}},
          {{64, 1, 128, 0}});
  product("attention dv: 48 x 64x64x32 tA", {pb, ph}, {{64, 1, 0, 128}}, {{32, 0, 1, 1}},
          {{64, 64, 128, 0}});
  // Heads outside: x[12, 64, 128] w[128, 4, 32] -> [12, 4, 64, 32], and back.
  product("to heads outside 768x128x128", {}, {{12, 64 * 128, 0, 4 * 64 * 32}, {64, 128, 0, 32}},
          {{4, 0, 32, 64 * 32}, {32, 0, 1, 1}}, {{128, 1, 128, 0}});
  product("from heads outside 768x128x128", {}, {{12, 4 * 64 * 32, 0, 64 * 128}, {64, 32, 0, 128}},
          {{128, 0, 1, 1}}, {{4, 64 * 32, 32 * 128, 0}, {32, 1, 128, 0}});
  product("mlp 100x784x1024", {}, {{100, 784, 0, 1024}}, {{1024, 0, 1, 1}}, {{784, 1, 1024, 0}});
  product("64^3", {}, {{64, 64, 0, 64}}, {{64, 0, 1, 1}}, {{64, 1, 64, 0}});
  product("16^3", {}, {{16, 16, 0, 16}}, {{16, 0, 1, 1}}, {{16, 1, 16, 0}});
  product("768x512 by vector", {}, {{768, 512, 0, 1}}, {}, {{512, 1, 1, 0}});
  product("sum of 800000 squares", {}, {}, {}, {{800000, 1, 1, 0}});
}

ScalarInstruction leaf(LeafKind kind, int number, double value = 0) {
  return kind == LeafKind::constant ? scalar::constant(value, DType::f32)
                                    : scalar::leaf(kind, number, DType::f32);
}
ScalarInstruction op(ScalarOp which, int a, int b = -1, int c = -1) {
  return scalar::op(which, DType::f32, a, b, c);
}

void timed_map(const std::string& name, MapSpec spec) {
  std::int64_t size = 1;
  for (const std::int64_t extent : spec.extents) size *= extent;
  std::vector<std::vector<float>> memory(spec.operands.size() + spec.body.results.size());
  std::vector<const void*> inputs;
  std::vector<void*> outputs;
  for (std::size_t i = 0; i < memory.size(); ++i) {
    memory[i].assign(static_cast<std::size_t>(size), 0.3f);
    if (i < spec.operands.size()) {
      inputs.push_back(memory[i].data());
    } else {
      outputs.push_back(memory[i].data());
    }
  }
  const Call call{inputs.data(), outputs.data(), nullptr};
  line(name, static_cast<double>(size), "ns/elem", true,
       [&](Pool& pool) { map(pool, spec, &call, 1); });
}

MapSpec gelu() {
  // x / 2 * (1 + tanh(0.79788 * (x + 0.044715 * x^3)))
  MapSpec spec;
  spec.extents = {768, 512};
  spec.operands = {{DType::f32, {512, 1}}};
  spec.body.code = {leaf(LeafKind::operand, 0),
                    leaf(LeafKind::constant, -1, 0.5),
                    leaf(LeafKind::constant, -1, 0.7978845608),
                    leaf(LeafKind::constant, -1, 0.044715),
                    leaf(LeafKind::constant, -1, 1.0),
                    op(ScalarOp::mul, 0, 0),
                    op(ScalarOp::mul, 5, 0),
                    op(ScalarOp::mul, 6, 3),
                    op(ScalarOp::add, 0, 7),
                    op(ScalarOp::mul, 8, 2),
                    op(ScalarOp::tanh, 9),
                    op(ScalarOp::add, 10, 4),
                    op(ScalarOp::mul, 0, 1),
                    op(ScalarOp::mul, 12, 11)};
  spec.body.results = {13};
  return spec;
}

void maps() {
  std::printf("maps: 1 and 2 threads\n");
  timed_map("gelu by tanh, 768x512", gelu());
  for (const ScalarOp which : {ScalarOp::exp, ScalarOp::log, ScalarOp::tanh, ScalarOp::erf,
                               ScalarOp::sigmoid, ScalarOp::softplus, ScalarOp::sin}) {
    MapSpec spec = gelu();
    spec.body.code = {leaf(LeafKind::operand, 0), op(which, 0)};
    spec.body.results = {1};
    timed_map("function " + std::to_string(static_cast<int>(which)) + ", 768x512", spec);
  }
  MapSpec add = gelu();
  add.operands.push_back(add.operands[0]);
  add.body.code = {leaf(LeafKind::operand, 0), leaf(LeafKind::operand, 1), op(ScalarOp::add, 0, 1)};
  add.body.results = {2};
  timed_map("add, 768x512", add);
  add.extents = {768, 128};
  add.operands[0].strides = add.operands[1].strides = {128, 1};
  timed_map("add, 768x128", add);
  for (const std::int64_t columns : {64, 256}) {
    MapSpec spec;
    spec.extents = {393216 / columns, columns};
    spec.operands = {{DType::f32, {columns, 1}}, {DType::f32, {1, 0}}};
    spec.body.code = {leaf(LeafKind::operand, 0), leaf(LeafKind::operand, 1),
                      op(ScalarOp::sub, 0, 1), op(ScalarOp::exp, 2)};
    spec.body.results = {3};
    timed_map("exp(x - max), rows of " + std::to_string(columns), spec);
    spec.body.code[3] = op(ScalarOp::div, 0, 1);
    timed_map("x / sum, rows of " + std::to_string(columns), spec);
  }
  MapSpec norm;
  norm.extents = {3072, 128};
  norm.operands = {{DType::f32, {128, 1}},
                   {DType::f32, {1, 0}},
                   {DType::f32, {1, 0}},
                   {DType::f32, {0, 1}},
                   {DType::f32, {0, 1}}};
  norm.body.code = {leaf(LeafKind::operand, 0), leaf(LeafKind::operand, 1),
                    leaf(LeafKind::operand, 2), leaf(LeafKind::operand, 3),
                    leaf(LeafKind::operand, 4), op(ScalarOp::sub, 0, 1),
                    op(ScalarOp::rsqrt, 2),     op(ScalarOp::mul, 5, 6),
                    op(ScalarOp::mul, 7, 3),    op(ScalarOp::add, 8, 4)};
  norm.body.results = {9};
  timed_map("normalise rows of 128", norm);
  MapSpec normal = gelu();
  normal.operands.clear();
  normal.random_leaves = {{Distribution::normal, 1, 0, 7, -1, {512, 1}, {{}, {}}}};
  normal.body.code = {leaf(LeafKind::random, 0)};
  normal.body.results = {0};
  timed_map("normal samples, 768x512", normal);
  normal.random_leaves[0].distribution = Distribution::uniform;
  normal.random_leaves[0].b = 2;
  timed_map("uniform samples, 768x512", normal);
}

void timed_reduce(const std::string& name, const ReduceSpec& spec) {
  std::int64_t size = 1, kept = 1;
  for (const std::int64_t extent : spec.kept_extents) kept *= extent;
  for (const std::int64_t extent : spec.reduced_extents) size *= extent;
  size *= kept;
  std::vector<float> x(static_cast<std::size_t>(size), 0.3f), y(static_cast<std::size_t>(kept));
  const void* inputs[] = {x.data()};
  void* outputs[] = {y.data()};
  const Call call{inputs, outputs, nullptr};
  line(name, static_cast<double>(size), "ns/elem", true,
       [&](Pool& pool) { reduce(pool, spec, &call, 1); });
}

void reductions() {
  std::printf("reductions: 1 and 2 threads\n");
  const auto f32 = DType::f32;
  timed_reduce("max, rows of 64", {f32, f32, Combine::max, {6144}, {64}, {64}, {1}});
  timed_reduce("sum, rows of 64", {f32, f32, Combine::sum, {6144}, {64}, {64}, {1}});
  timed_reduce("sum, rows of 128", {f32, f32, Combine::sum, {768}, {128}, {128}, {1}});
  timed_reduce("sum, rows of 512", {f32, f32, Combine::sum, {768}, {512}, {512}, {1}});
  timed_reduce("sum of columns 768x128", {f32, f32, Combine::sum, {128}, {1}, {768}, {128}});
  timed_reduce("sum of columns 768x512", {f32, f32, Combine::sum, {512}, {1}, {768}, {512}});
  timed_reduce("sum of 393216", {f32, f32, Combine::sum, {}, {}, {393216}, {1}});
}

void copies() {
  std::printf("copies: 1 and 2 threads\n");
  std::vector<float> x(768 * 512, 1), y(768 * 512);
  const void* inputs[] = {x.data()};
  void* outputs[] = {y.data()};
  const Call call{inputs, outputs, nullptr};
  const auto timed = [&](const std::string& name, CopySpec spec) {
    line(name, 768 * 512, "ns/elem", true, [&](Pool& pool) { copy(pool, spec, &call, 1); });
  };
  CopySpec spec;
  spec.extents = {768, 512};
  spec.x_strides = spec.y_strides = {512, 1};
  timed("copy 768x512", spec);
  spec.y_strides = {1, 768};
  timed("transpose 768x512", spec);
  spec.extents = {12, 64, 4, 128};
  spec.x_strides = {64 * 512, 512, 128, 1};
  spec.y_strides = {64 * 512, 128, 64 * 128, 1};
  timed("heads outside, runs of 128", spec);
}

}  // namespace

int main() {
  products();
  maps();
  reductions();
  copies();
}
