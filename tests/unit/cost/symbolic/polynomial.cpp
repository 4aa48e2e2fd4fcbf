// Sums of products: arithmetic, what grows fastest, how they are written.
#include "cost/symbolic/polynomial.h"

#include <catch2/catch.hpp>

#include "cost/symbolic/formula_text.h"

namespace cost_symbolic_polynomial_test {

using namespace mtfc;
using namespace mtfc::cost;

namespace {

Module module_of(const std::vector<std::pair<std::string, std::string>>& dims,
                 const std::vector<std::int64_t>& sizes) {
  Module module;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    Dim dim;
    dim.name = dims[i].first;
    dim.formula = dims[i].second;
    dim.size = sizes[i];
    module.dims.add(dim);
  }
  module.mesh.axes = {{"rows", 2}, {"cols", 4}};
  return module;
}

DimId dim(int i) { return DimId{i}; }

}  // namespace

TEST_CASE("sums of products are a ring, and products divide them") {
  const Polynomial x = Polynomial::symbol(0), y = Polynomial::symbol(1);
  CHECK((x + y) * (x - y) == x * x - y * y);
  CHECK((x + 1) * (x + 1) == x * x + x * 2 + 1);
  CHECK((x * y + x) / x == y + 1);
  CHECK((x - x).is_zero());
  CHECK((x * x / y).at({6, 4}) == 9);
  CHECK(factored(x * y * 6 + x * 4).common == x * 2);
  CHECK(factored(x / y + 1 / y).common == 1 / y);
  CHECK(factored(x - x / y).common == x);
}

TEST_CASE("what another term outgrows is no leading one") {
  const Polynomial b = Polynomial::symbol(0), d = Polynomial::symbol(1),
                   rows = Polynomial::symbol(2);
  const std::vector<bool> dims = {true, true, false};
  const std::vector<double> sizes = {8, 16, 4};
  CHECK(leading(b * d * 3 + d * 100 + 7, dims, sizes) == b * d);
  CHECK(leading(b * d / rows + d, dims, sizes) == b * d / rows);
  CHECK(leading(d / rows + d, dims, sizes) == d);
  CHECK(leading(b + d, dims, sizes) == b + d);
  CHECK(leading(7, dims, sizes) == 1);
}

TEST_CASE("dimensions that are products of others are those products") {
  const Module module = module_of({{"d_model", "64"},
                                   {"heads", "8"},
                                   {"d_head", "2 * d_model / (2 * (heads))"},
                                   {"d_ff", "4*d_model"},
                                   {"memory", "d_model"},
                                   {"half", "d_model / 2"},
                                   {"wrong", "heads * heads"},
                                   {"more", "heads + 1"},
                                   {"long", "99999999999999999999 * heads"},
                                   {"self", "self"},
                                   {"open", "(heads * 2"},
                                   {"third", "d_model / (heads * (2 * 4))"}},
                                  {64, 8, 8, 256, 64, 32, 65, 9, 8, 3, 16, 1});
  const Symbols symbols(module);
  const auto text = [&](int i) { return to_string(symbols.of(dim(i)), symbols); };
  CHECK(text(2) == "d_model/heads");
  CHECK(text(3) == "4*d_model");
  CHECK(text(4) == "d_model");
  // Halves are no whole numbers; a formula must give the size.
  for (const auto& [number, name] : std::vector<std::pair<int, std::string>>{{5, "half"},
                                                                             {6, "wrong"},
                                                                             {7, "more"},
                                                                             {8, "long"},
                                                                             {9, "self"},
                                                                             {10, "open"},
                                                                             {11, "third"}})
    CHECK(text(number) == name);
  CHECK(to_string(symbols.of(dim(1)) * symbols.of(dim(2)) * 2 + symbols.of(dim(3)), symbols) ==
        "6*d_model");
}

TEST_CASE("mesh axes stand behind the dimension that they split") {
  Module module = module_of({{"b", "8"}, {"d", "16"}}, {8, 16});
  ShardType type{{DType::f32, {dim(0), dim(1)}}, {}};
  type.sharding.split = {{AxisId{0}}, {AxisId{1}}};
  module.variables.push_back({"w", type, Variable::Kind::parameter});
  const Symbols symbols(module);
  const Polynomial shard = symbols.elements(type), rows = symbols.of(AxisId{0});
  CHECK(shard.at(symbols.sizes()) == 16);
  CHECK(to_string(shard * 2, symbols) == "2*b/rows*d/cols");
  CHECK(to_string(shard - shard / rows, symbols) == "b/rows*d/cols*(1 - 1/rows)");
  CHECK(to_string(1 / symbols.of(dim(1)), symbols) == "1/d");
  CHECK(to_string(Polynomial(), symbols) == "0");
}

TEST_CASE("instances that count the same are written once") {
  const Module module = module_of({{"d", "16"}}, {16});
  const Symbols symbols(module);
  const Polynomial d = symbols.of(dim(0));
  InstanceSums sums;
  for (const char* path : {"layers.0.attn", "layers.1.attn", "layers.2"}) sums.add(path, d + 1);
  sums.add("layers.2.ffn", d * 2);
  sums.add("", d * d);
  const Formula formula = sums.take();
  CHECK(to_string(formula, symbols) == "d^2 + 3*d + 1 + 2*(d + 1)");
  CHECK(formula.total() == d * d + d * 5 + 3);
}

}  // namespace cost_symbolic_polynomial_test
