// Small products: each result is one chain of multiply-adds, whatever is computed beside it.
#include <catch2/catch.hpp>

#include <cmath>

#include "kernels/contract_plan.h"
#include "lab.h"

namespace kernels_small_product_test {

using namespace mtfc;
using namespace mtfc::runtime;
using namespace mtfc::runtime::lab;

namespace {

/// c = a b of [m, k] and [k, n], each or the result transposed in memory; so many of them.
struct Shape {
  std::int64_t m, n, k;
  bool a_turned = false, b_turned = false, c_turned = false;
  std::int64_t items = 1;

  ContractSpec spec() const {
    ContractSpec spec;
    spec.a = spec.b = spec.c = DType::f32;
    spec.m = {{m, a_turned ? 1 : k, 0, c_turned ? 1 : n}};
    spec.n = {{n, 0, b_turned ? k : 1, c_turned ? m : 1}};
    spec.k = {{k, a_turned ? m : 1, b_turned ? 1 : n, 0}};
    if (items > 1) spec.batch = {{items, m * k, k * n, m * n}};
    spec.a_size = items * m * k;
    spec.b_size = items * k * n;
    spec.c_size = items * m * n;
    return spec;
  }
};

/// Processors in rows and columns of a mesh, or strangers: calls and what they write.
class Calls {
 public:
  Calls(const ContractSpec& spec, std::size_t rows, std::size_t cols, bool share_a, bool share_b) {
    for (std::size_t i = 0; i < (share_a ? rows : rows * cols); ++i)
      a_.push_back(reals(spec.a, spec.a_size));
    for (std::size_t i = 0; i < (share_b ? cols : rows * cols); ++i)
      b_.push_back(reals(spec.b, spec.b_size));
    c_.assign(rows * cols, Array(spec.c, spec.c_size));
    for (std::size_t i = 0; i < rows * cols; ++i) {
      inputs_.push_back(a_[share_a ? i / cols : i].data());
      inputs_.push_back(b_[share_b ? i % cols : i].data());
      outputs_.push_back(c_[i].data());
    }
    for (std::size_t i = 0; i < rows * cols; ++i)
      calls.push_back({&inputs_[2 * i], &outputs_[i], nullptr});
  }
  void write_to(std::size_t i, Array& array) { outputs_[i] = array.data(); }
  const std::vector<Array>& results() const { return c_; }

  std::vector<Call> calls;

 private:
  std::vector<Array> a_, b_, c_;
  std::vector<const void*> inputs_;
  std::vector<void*> outputs_;
};

bool is_small(const ContractSpec& spec) {
  return plan_contract(spec).form == ContractPlan::Form::small;
}

/// Around multiples of vectors and tiles, and what models have.
std::vector<Shape> shapes() {
  std::vector<Shape> all = {{4, 16, 784},
                            {4, 16, 784, false, true},
                            {784, 16, 4, true},
                            {16, 784, 4, true},
                            {64, 4, 128},
                            {64, 64, 4, false, true},
                            {64, 4, 64, true},
                            {64, 65, 40, false, true},
                            {17, 33, 9, false, false, true},
                            {64, 128, 16, true, true},
                            {16, 64, 2, false, false, false, 4},
                            {8, 8, 16, false, true, true, 5}};
  for (int i = 0; i < 90; ++i)
    all.push_back({pick(2, 40), pick(2, 70), pick(2, 30), pick(0, 1) == 1, pick(0, 1) == 1,
                   pick(0, 1) == 1, i < 60 ? 1 : pick(2, 5)});
  return all;
}

}  // namespace

TEST_CASE("rows of many calls are rows of one product, with the bits of each call", "[contract]") {
  int small = 0;
  for (const Shape& shape : shapes()) {
    const ContractSpec spec = shape.spec();
    small += is_small(spec);
    for (const int shared : {0, 1, 2, 3}) {
      Calls calls(spec, 3, 4, (shared & 1) != 0, (shared & 2) != 0);
      std::vector<Array> expected;
      for (const Call& call : calls.calls) {
        Array c(spec.c, spec.c_size);
        void* const output = c.data();
        const Call one{call.inputs, &output, nullptr};
        contract(*pools().front(), spec, &one, 1);
        expected.push_back(c);
      }
      for (Pool* pool : pools()) {
        contract(*pool, spec, calls.calls.data(), static_cast<int>(calls.calls.size()));
        REQUIRE(calls.results() == expected);
      }
    }
  }
  if (micro_kernels() != nullptr) CHECK(small > 40);
}

TEST_CASE("each result is one chain of multiply-adds", "[contract]") {
  if (micro_kernels() == nullptr) return;
  using Form = ContractPlan::Form;
  const auto [shape, form] =
      GENERATE(table<Shape, Form>({{{5, 35, 50}, Form::small},
                                   {{1, 35, 50}, Form::small},
                                   {{1, 512, 128}, Form::few_rows},
                                   {{1, 300, 71}, Form::few_rows},
                                   {{2, 5001, 301}, Form::few_rows},
                                   {{3, 2049, 1030}, Form::few_rows},
                                   {{4, 2100, 613}, Form::few_rows},
                                   {{4, 2100, 613, true}, Form::few_rows},
                                   {{700, 1, 90, true}, Form::few_rows},  // the matrix is a
                                   {{2100, 2, 900, true, true, true}, Form::few_rows}}));
  CAPTURE(shape.m, shape.n, shape.k);
  const ContractSpec spec = shape.spec();
  REQUIRE(plan_contract(spec).form == form);
  const Array a = reals(spec.a, spec.a_size), b = reals(spec.b, spec.b_size);
  std::vector<double> expected;
  for (std::int64_t i = 0; i < shape.m; ++i) {
    for (std::int64_t j = 0; j < shape.n; ++j) {
      float sum = 0;
      for (std::int64_t p = 0; p < shape.k; ++p)
        sum = std::fma(static_cast<float>(a.at(i * spec.m[0].a + p * spec.k[0].a)),
                       static_cast<float>(b.at(p * spec.k[0].b + j * spec.n[0].b)), sum);
      expected.push_back(static_cast<double>(sum));
    }
  }
  for (Pool* pool : pools()) {
    Array c(spec.c, spec.c_size);
    const void* const inputs[] = {a.data(), b.data()};
    void* const outputs[] = {c.data()};
    const Call call{inputs, outputs, nullptr};
    contract(*pool, spec, &call, 1);
    std::vector<double> results;
    for (std::int64_t i = 0; i < shape.m; ++i)
      for (std::int64_t j = 0; j < shape.n; ++j)
        results.push_back(c.at(i * spec.m[0].c + j * spec.n[0].c));
    REQUIRE(results == expected);
  }
}

TEST_CASE("sums of products are what the products add up to", "[contract]") {
  std::vector<Shape> all = shapes();
  for (const Shape& large : {Shape{784, 256, 32, true},
                             {130, 200, 90},
                             {64, 1000, 150, true, true},
                             {130, 200, 90, false, false, false, 3}})
    all.push_back(large);  // in slabs of rows, and of columns
  int in_slabs = 0;
  for (const Shape& shape : all) {
    const ContractSpec spec = shape.spec();
    const auto prepared = prepare_contract(spec);
    REQUIRE(adds_products(*prepared) == is_small(spec));
    in_slabs += adds_slabs(*prepared);
    if (!is_small(spec) && !adds_slabs(*prepared)) continue;
    constexpr std::size_t sums = 3, calls_of_sum = 6;
    for (const std::size_t of_part : {1, 2, 3}) {
      if (of_part > 1 && !is_small(spec)) continue;
      Calls calls(spec, sums, calls_of_sum, false, true);
      contract(*pools().front(), spec, calls.calls.data(), sums * calls_of_sum);
      const auto added = [&](std::size_t first, std::size_t step, auto part) {
        Array total = part(first);
        for (std::size_t r = 1; r < step; ++r) {
          const Array next = part(first + r);
          for (std::int64_t i = 0; i < total.size(); ++i) total.set(i, total.at(i) + next.at(i));
        }
        return total;
      };
      const auto call = [&](std::size_t i) { return calls.results()[i]; };
      const auto part = [&](std::size_t i) { return added(i * of_part, of_part, call); };
      std::vector<Array> expected;
      for (std::size_t s = 0; s < sums; ++s)
        expected.push_back(added(s * calls_of_sum / of_part, calls_of_sum / of_part, part));
      std::vector<Array> totals(sums, Array(spec.c, spec.c_size));
      for (std::size_t i = 0; i < sums * calls_of_sum; ++i)
        calls.write_to(i, totals[i / calls_of_sum]);
      for (Pool* pool : pools()) {
        contract_sums(*pool, *prepared, calls.calls.data(), sums, calls_of_sum,
                      static_cast<int>(of_part));
        REQUIRE(totals == expected);
      }
    }
  }
  CHECK(in_slabs >= 3);
}

}  // namespace kernels_small_product_test
