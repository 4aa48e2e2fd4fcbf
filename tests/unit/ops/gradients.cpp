// The gradient of every elementwise operation against central differences, in double precision.
#include <catch2/catch.hpp>
#include <cmath>

#include "backends/execute/simulator.h"
#include "lowering/pipeline.h"
#include "ops/builder.h"
#include "ops/op.h"

namespace ops_gradients_test {

using namespace mtfc;

namespace {

/// loss = sum(weight * op(p, q)) over 12 elements away from kinks; p in 0.2 .. 2.4, q in 0.7
/// .. 2.9.
struct Case {
  Model model;
  explicit Case(const std::string& op, std::size_t operands) {
    Dim dim;
    dim.name = "a";
    dim.size = 12;
    const DimId a = model.dims.add(dim);
    model.path = op;
    ops::Builder init(model.init, model.dims), b(model.train, model.dims);
    std::vector<ValueId> values;
    for (std::size_t i = 0; i < operands; ++i) {
      Variable v;
      v.path = i == 0 ? "p" : "q";
      v.type = {DType::f64, {a}};
      model.variables.push_back(v);
      const ValueId at = init.cast(init.index(a), DType::f64);
      const double step = i == 0 ? 0.2 : -0.2, first = i == 0 ? 0.203 : 2.904;
      const ValueId value = init.binary("add", init.constant(first, DType::f64),
                                        init.binary("mul", at, init.constant(step, DType::f64)));
      model.init.outputs.push_back({Output::Kind::variable, v.path, value});
      values.push_back(b.read(v.path, v.type));
    }
    const ValueId weight = b.unary("sin", b.cast(b.index(a), DType::f64));
    const ValueId y = b.apply(op, values);
    const ValueId loss = b.reduce_to(Combine::sum, b.binary("mul", y, weight), {});
    model.train.outputs.push_back({Output::Kind::loss, "loss", loss});
  }
};

void check(const std::string& op, std::size_t operands) {
  Case c(op, operands);
  Assignment whole;
  whole.dims.resize(c.model.dims.size());
  backends::Simulator simulator(lowering::lower(c.model, whole, {}), {1, false});
  std::vector<runtime::Fetched> fetched, moved;
  simulator.run("init", {}, fetched);
  simulator.run("train", {}, fetched);
  REQUIRE(fetched.size() == 1 + operands);
  for (std::size_t g = 1; g < fetched.size(); ++g) {
    const std::string path = fetched[g].name.substr(5);
    const runtime::HostTensor before = simulator.variable(path);
    for (std::int64_t i = 0; i < before.elements(); ++i) {
      double loss[2];
      const double h = 1e-6;
      for (int side = 0; side < 2; ++side) {
        runtime::HostTensor shifted = before;
        shifted.as<double>()[i] += side ? -h : h;
        simulator.set_variable(path, shifted);
        moved.clear();
        simulator.run("train", {}, moved);
        loss[side] = moved[0].value.scalar();
      }
      simulator.set_variable(path, before);
      INFO(op << ", d/d" << path << "[" << i << "]");
      CHECK(fetched[g].value.as<double>()[i] ==
            Approx((loss[0] - loss[1]) / (2 * h)).epsilon(1e-6).margin(1e-7));
    }
  }
}

bool takes_floats(const ops::OpDef& def, std::size_t operands) {
  const DimTable dims;
  const std::vector<TensorType> types(operands, TensorType{DType::f64, {}});
  return def.infer({dims, types, {}}).error.empty();
}

}  // namespace

TEST_CASE("elementwise gradients are finite differences") {
  for (const ops::OpDef* def : ops::all_ops()) {
    const bool elementwise = def->scalar && def->gradient;
    if (!elementwise || *def->scalar == ScalarOp::cast || *def->scalar == ScalarOp::select)
      continue;
    const auto operands = static_cast<std::size_t>(arity(*def->scalar));
    if (!takes_floats(*def, operands)) continue;
    check(std::string(def->name), operands);
  }
  for (const char* op :
       {"relu", "leaky_relu", "gelu", "silu", "elu", "selu", "square", "reciprocal"}) {
    check(op, 1);
  }
}

TEST_CASE("an operation without a gradient says why") {
  for (const ops::OpDef* def : ops::all_ops()) {
    INFO(def->name);
    CHECK((def->gradient || def->expand || !def->not_differentiable.empty()));
  }
}

}  // namespace ops_gradients_test
