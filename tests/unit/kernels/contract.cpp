// Contractions over random factor lists against three plain loops.
#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

#include "kernels/add_product.h"
#include "kernels/contract_pieces.h"
#include "lab.h"

namespace kernels_contract_test {

using namespace mtfc;
using namespace mtfc::runtime;
using namespace mtfc::runtime::lab;

namespace {

using Factors = std::vector<ContractSpec::Factor>;

/// Gives the factors of a tensor dense strides in a random order.
std::int64_t lay_out(std::vector<std::pair<std::int64_t, std::int64_t*>> dims, bool shuffle) {
  if (shuffle) std::shuffle(dims.begin(), dims.end(), engine());
  std::int64_t stride = 1;
  for (std::size_t i = dims.size(); i-- > 0;) {
    *dims[i].second = stride;
    stride *= dims[i].first;
  }
  return stride;
}

void add_dims(std::vector<std::pair<std::int64_t, std::int64_t*>>& dims, Factors& factors,
              std::int64_t ContractSpec::Factor::*stride) {
  for (auto& f : factors) dims.push_back({f.extent, &(f.*stride)});
}

void lay_out(ContractSpec& spec, bool shuffle) {
  std::vector<std::pair<std::int64_t, std::int64_t*>> a, b, c;
  add_dims(a, spec.batch, &ContractSpec::Factor::a);
  add_dims(a, spec.m, &ContractSpec::Factor::a);
  add_dims(a, spec.k, &ContractSpec::Factor::a);
  add_dims(b, spec.batch, &ContractSpec::Factor::b);
  add_dims(b, spec.k, &ContractSpec::Factor::b);
  add_dims(b, spec.n, &ContractSpec::Factor::b);
  add_dims(c, spec.batch, &ContractSpec::Factor::c);
  add_dims(c, spec.m, &ContractSpec::Factor::c);
  add_dims(c, spec.n, &ContractSpec::Factor::c);
  spec.a_size = lay_out(a, shuffle);
  spec.b_size = lay_out(b, shuffle);
  spec.c_size = lay_out(c, shuffle);
}

Factors random_factors(int most, std::int64_t largest, bool with_zero) {
  Factors factors(static_cast<std::size_t>(pick(0, most)));
  for (auto& f : factors) {
    f.extent = pick(0, 4) == 0 ? 1 : pick(2, largest);
    if (with_zero && pick(0, 5) == 0) f.extent = 0;
  }
  return factors;
}

std::vector<std::int64_t> extents_of(const std::vector<const Factors*>& groups) {
  std::vector<std::int64_t> extents;
  for (const Factors* group : groups) {
    for (const auto& f : *group) extents.push_back(f.extent);
  }
  return extents;
}
std::vector<std::int64_t> strides_of(const std::vector<const Factors*>& groups,
                                     std::int64_t ContractSpec::Factor::*stride) {
  std::vector<std::int64_t> strides;
  for (const Factors* group : groups) {
    for (const auto& f : *group) strides.push_back(f.*stride);
  }
  return strides;
}

Array naive(const ContractSpec& spec, const Array& a, const Array& b) {
  Array c(spec.c, spec.c_size);
  const std::vector<const Factors*> kept = {&spec.batch, &spec.m, &spec.n}, summed = {&spec.k};
  const auto a_outer = strides_of(kept, &ContractSpec::Factor::a),
             b_outer = strides_of(kept, &ContractSpec::Factor::b),
             c_outer = strides_of(kept, &ContractSpec::Factor::c),
             a_inner = strides_of(summed, &ContractSpec::Factor::a),
             b_inner = strides_of(summed, &ContractSpec::Factor::b);
  for_each_place(extents_of(kept), [&](const std::vector<std::int64_t>& at) {
    double sum = 0;
    for_each_place(extents_of(summed), [&](const std::vector<std::int64_t>& k) {
      sum += a.at(offset_of(at, a_outer) + offset_of(k, a_inner)) *
             b.at(offset_of(at, b_outer) + offset_of(k, b_inner));
    });
    c.set(offset_of(at, c_outer), sum);
  });
  return c;
}

/// As numbers: a sum of one term may be -0.
void require_numbers(const Array& c, const Array& expected) {
  for (std::int64_t i = 0; i < c.size(); ++i) {
    if (c.at(i) != expected.at(i)) REQUIRE(c == expected);
  }
}

void check(const ContractSpec& spec) {
  const Array a = small_integers(spec.a, spec.a_size), b = small_integers(spec.b, spec.b_size);
  const Array expected = naive(spec, a, b);
  for (Pool* pool : pools()) {
    Array c = small_integers(spec.c, spec.c_size);
    const OneCall call({a.data(), b.data()}, {c.data()});
    contract(*pool, spec, call.get(), 1);
    require_numbers(c, expected);
  }
  SUCCEED();
}

/// sum + product, in the sum's memory and elsewhere; number 0 takes the product alone.
void check_added(const ContractSpec& spec, bool in_place, std::int32_t number) {
  const Array a = small_integers(spec.a, spec.a_size), b = small_integers(spec.b, spec.b_size);
  const Array sum = small_integers(spec.c, spec.c_size);
  Array expected = naive(spec, a, b);
  for (std::int64_t i = 0; number != 0 && i < sum.size(); ++i)
    expected.set(i, expected.at(i) + sum.at(i));
  for (Pool* pool : pools()) {
    Array c = in_place ? sum : small_integers(spec.c, spec.c_size);
    const OneCall call({a.data(), b.data(), in_place ? c.data() : sum.data(), &number}, {c.data()});
    add_product(*pool, {spec}, call.get(), 1);
    require_numbers(c, expected);
  }
}

ContractSpec spec_of(DType dtype, Factors batch, Factors m, Factors n, Factors k,
                     bool shuffle = false) {
  ContractSpec spec;
  spec.a = spec.b = spec.c = dtype;
  spec.batch = std::move(batch);
  spec.m = std::move(m);
  spec.n = std::move(n);
  spec.k = std::move(k);
  lay_out(spec, shuffle);
  return spec;
}
Factors of(std::vector<std::int64_t> extents) {
  Factors factors;
  for (const std::int64_t extent : extents) factors.push_back({extent, 0, 0, 0});
  return factors;
}

/// Calls of one contraction with operands and results of their own.
struct CalledOften {
  CalledOften(const ContractSpec& spec, std::size_t count) : inputs(2 * count), outputs(count) {
    for (std::size_t i = 0; i < count; ++i) {
      a.push_back(small_integers(spec.a, spec.a_size));
      b.push_back(small_integers(spec.b, spec.b_size));
      c.push_back(small_integers(spec.c, spec.c_size));
      products.push_back(naive(spec, a[i], b[i]));
    }
    for (std::size_t i = 0; i < count; ++i) {
      inputs[2 * i] = a[i].data();
      inputs[2 * i + 1] = b[i].data();
      outputs[i] = c[i].data();
    }
    for (std::size_t i = 0; i < count; ++i) calls.push_back({&inputs[2 * i], &outputs[i], nullptr});
  }
  /// `each` calls one after the other have the result of the first of them.
  void share_results(std::size_t each) {
    for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i] = c[i / each * each].data();
  }

  std::vector<Array> a, b, c, products;
  std::vector<const void*> inputs;
  std::vector<void*> outputs;
  std::vector<Call> calls;
};

Array plus(Array a, const Array& b) {
  for (std::int64_t i = 0; i < a.size(); ++i) a.set(i, a.at(i) + b.at(i));
  return a;
}

}  // namespace

TEST_CASE("contractions of random factors in random layouts", "[contract]") {
  INFO(std::string("products by ") + product_library());
  for (int round = 0; round < 600; ++round) {
    const DType dtype = kAllDTypes[static_cast<std::size_t>(round % 4)];
    const bool zero = round % 40 == 7;
    ContractSpec spec =
        spec_of(dtype, random_factors(2, 4, zero), random_factors(2, 9, zero),
                random_factors(2, 9, zero), random_factors(2, 6, zero), round % 5 != 0);
    check(spec);
  }
}

TEST_CASE("products are added to sums", "[contract]") {
  for (int round = 0; round < 200; ++round) {
    const DType dtype = kAllDTypes[static_cast<std::size_t>(round % 4)];
    const bool zero = round % 40 == 7;
    ContractSpec spec =
        spec_of(dtype, random_factors(1, 4, zero), random_factors(2, 9, zero),
                random_factors(2, 9, zero), random_factors(2, 6, zero), round % 3 != 0);
    if (round % 5 == 0) spec.c = DType::f32;
    check_added(spec, round % 2 == 0, round % 7);
  }
  ContractSpec large = spec_of(DType::bf16, {}, of({300}), of({65}), of({128}));
  large.c = DType::f32;
  check_added(large, true, 3);
  SUCCEED();
}

TEST_CASE("types may differ", "[contract]") {
  ContractSpec spec = spec_of(DType::f32, of({2}), of({5, 3}), of({7}), of({4, 2}), true);
  spec.a = DType::bf16;
  check(spec);
  spec.b = DType::f64;
  check(spec);
  spec.c = DType::f16;
  check(spec);
}

TEST_CASE("contractions large enough to be cut in slabs", "[contract]") {
  for (const DType dtype : {DType::f32, DType::f64}) {
    check(spec_of(dtype, {}, of({300}), of({65}), of({128})));
    check(spec_of(dtype, {}, of({7}), of({700}), of({100})));
    check(spec_of(dtype, of({3}), of({40, 4}), of({50}), of({30, 4}), true));
    check(spec_of(dtype, {}, {}, {}, of({100000})));           // one sum
    check(spec_of(dtype, of({70}), {}, {}, of({37})));         // many sums
    check(spec_of(dtype, {}, of({90}), {}, of({600})));        // matrix by vector
    check(spec_of(dtype, {}, {}, of({90}), of({600}), true));  // vector by matrix
    check(spec_of(dtype, {}, of({90}), of({80}), {}));         // outer product
    check(spec_of(dtype, of({50}), of({90}), {}, {}));         // elementwise
  }
}

TEST_CASE("bits of products do not depend on the number of threads", "[contract]") {
  const std::vector<ContractSpec> specs = {
      spec_of(DType::f32, {}, of({768}), of({130}), of({257})),
      spec_of(DType::f32, {}, of({100}), of({1000}), of({300}), true),
      spec_of(DType::f32, of({6, 4}), of({64}), of({64}), of({32}), true),
      spec_of(DType::bf16, {}, of({200}), of({90}), of({300}), true),
      spec_of(DType::f64, {}, of({200}), of({300}), of({100}), true),
      spec_of(DType::f32, {}, {}, {}, of({300000}))};
  for (const ContractSpec& spec : specs) {
    const Array a = reals(spec.a, spec.a_size), b = reals(spec.b, spec.b_size);
    Array first;
    for (Pool* pool : pools()) {
      Array c(spec.c, spec.c_size);
      const OneCall call({a.data(), b.data()}, {c.data()});
      contract(*pool, spec, call.get(), 1);
      if (pool == pools().front()) first = c;
      REQUIRE(c == first);
    }
  }
}

TEST_CASE("many calls at once, packed ones too", "[contract]") {
  const ContractSpec spec = spec_of(DType::bf16, of({2}), of({9}), of({5}), of({11}), true);
  CalledOften often(spec, 5);
  std::vector<Call>& calls = often.calls;
  contract(*pools()[2], spec, calls.data(), 5);
  REQUIRE(often.c == often.products);

  // Added to what is there: to themselves.
  const std::int32_t number = 1;
  std::vector<const void*> with_sums;
  for (std::size_t i = 0; i < 5; ++i) {
    with_sums.insert(with_sums.end(),
                     {often.a[i].data(), often.b[i].data(), often.c[i].data(), &number});
    often.products[i] = plus(often.products[i], often.products[i]);
  }
  for (std::size_t i = 0; i < 5; ++i) calls[i].inputs = &with_sums[4 * i];
  add_product(*pools()[2], {spec}, calls.data(), 5);
  REQUIRE(often.c == often.products);
}

TEST_CASE("contractions whose copies are cut in pieces", "[contract]") {
  int cut = 0;
  for (int round = 0; round < 300; ++round) {
    ContractSpec spec =
        spec_of(kAllDTypes[static_cast<std::size_t>(round % 4)], random_factors(2, 4, false),
                random_factors(2, 9, false), random_factors(2, 9, false),
                random_factors(2, 6, false), round % 5 != 0);
    if (round % 3 == 0) spec.c = DType::f32;
    const auto prepared = prepare_contract(spec, pick(64, 4000));
    cut += pieces_of(spec, plan_contract(spec), 500).empty() ? 0 : 1;
    CalledOften calls(spec, 6);
    contract(*pools()[2], *prepared, spec, calls.calls.data(), 6);
    for (std::size_t i = 0; i < 6; ++i) require_numbers(calls.c[i], calls.products[i]);
    if (!adds_slabs(*prepared)) continue;
    contract_onto(*pools()[2], *prepared, calls.calls.data(), 6);
    for (std::size_t i = 0; i < 6; ++i)
      require_numbers(calls.c[i], plus(calls.products[i], calls.products[i]));
    calls.share_results(3);
    contract_sums(*pools()[2], *prepared, calls.calls.data(), 2, 3);
    for (std::size_t i = 0; i < 6; i += 3)
      require_numbers(calls.c[i],
                      plus(plus(calls.products[i], calls.products[i + 1]), calls.products[i + 2]));
  }
  CHECK(cut > 50);
}

TEST_CASE("pieces of a contraction keep its copies below a size", "[contract]") {
  // A head of a language model: rows of the operand and of the logits, all of the table.
  const ContractSpec head = spec_of(DType::bf16, {}, of({4096}), of({32000}), of({128}));
  const auto pieces = pieces_of(head, plan_contract(head), 64 << 20);
  std::int64_t rows = 0;
  for (const ContractPiece& piece : pieces) {
    CHECK(bytes_of_copies(plan_contract(piece.spec)) <= 64 << 20);
    CHECK(piece.offsets[2] == rows * 32000 * 2);
    rows += piece.spec.m[0].extent;
  }
  CHECK(rows == 4096);
  // Sums of one result cannot be cut; what makes no copies need not be.
  const ContractSpec sum = spec_of(DType::bf16, {}, {}, {}, of({1 << 20}));
  CHECK(pieces_of(sum, plan_contract(sum), 1000).empty());
  const ContractSpec f32 = spec_of(DType::f32, {}, of({4096}), of({32000}), of({128}));
  CHECK(pieces_of(f32, plan_contract(f32), 1000).empty());
}

}  // namespace kernels_contract_test
