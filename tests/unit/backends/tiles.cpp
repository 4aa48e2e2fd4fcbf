// Programs that run tile by tile give the bits of the same programs run whole: Lab::run compares
// the shared run and the ranks with the replicas, which are never tiled.
#include <catch2/catch.hpp>

#include "backends/execute/executable.h"
#include "backends/execute/simulated_mesh.h"
#include "lab.h"

namespace backends_tiles_test {

using namespace lab;

namespace {
const AxisId a0 = axis(0), a1 = axis(1);

/// The ranges of program "p" that run tile by tile, on a simulated mesh.
std::vector<backends::TiledRange> ranges_of(const Module& module) {
  backends::SimulatedMesh mesh({module.dims, module.mesh});
  backends::Memory memory(module, mesh, {});
  return backends::Executable(memory, module.programs[0]).tiled();
}

ValueId map2(Lab& lab, ScalarOp op, ValueId a, ValueId b, const ShardType& type) {
  return lab.add(map_of({operand_leaf(0), operand_leaf(1), step_of(op, {0, 1})}), {a, b}, type);
}
ValueId map1(Lab& lab, ScalarOp op, ValueId a, const ShardType& type) {
  return lab.add(map_of({operand_leaf(0), step_of(op, {0})}), {a}, type);
}
}  // namespace

TEST_CASE("a masked softmax and its gradient run in tiles") {
  for (const bool split : {false, true}) {
    for (const std::int64_t length : {64, 37}) {
      Lab lab(split ? std::vector<MeshAxis>{{"rows", 2}, {"cols", 2}} : std::vector<MeshAxis>{});
      const DimId b = lab.dim("batch", 6), l = lab.dim("length", length), h = lab.dim("heads", 4),
                  m = lab.dim("memory", 50);
      const Splits splits = split ? Splits{{b, {a0}}, {h, {a1}}} : Splits{};
      const ShardType all = lab.type({b, l, h, m}, splits), row = lab.type({b, l, h}, splits);
      const ValueId x = lab.feed(all), g = lab.feed(all);
      Map mask = map_of({operand_leaf(0), index_leaf(0), index_leaf(1),
                         step_of(ScalarOp::ge, {1, 2}, DType::boolean), constant_leaf(-50),
                         step_of(ScalarOp::select, {3, 0, 4})});
      mask.index_leaves = {l, m};
      const ValueId s = lab.add(mask, {x}, all);
      const ValueId most = lab.add(Reduce{Combine::max, {m}}, {s}, row);
      const ValueId e = map1(lab, ScalarOp::exp, map2(lab, ScalarOp::sub, s, most, all), all);
      const ValueId sum = lab.add(Reduce{Combine::sum, {m}}, {e}, row);
      const ValueId a = map2(lab, ScalarOp::div, e, sum, all);
      const ValueId t = lab.add(Contract{{m}}, {g, a}, row);
      lab.fetch(map2(lab, ScalarOp::mul, map2(lab, ScalarOp::sub, g, t, all), a, all));
      lab.fetch(a);
      lab.fetch(sum);
      lab.run(2);
      const auto ranges = ranges_of(lab.module);
      REQUIRE(ranges.size() == 1);
      CHECK(ranges[0].tiles.steps.size() == 9);
    }
  }
}

TEST_CASE("samples, broadcasts and other types are the same in tiles") {
  Lab lab({{"rows", 2}});
  const DimId b = lab.dim("batch", 10), l = lab.dim("length", 33), d = lab.dim("d", 128);
  const ShardType all = lab.type({b, l, d}, {{b, {a0}}});
  const ShardType half = lab.type({b, l, d}, {{b, {a0}}}, {}, DType::bf16);
  const ValueId x = lab.feed(all), at = lab.feed(lab.type({l, d})), scale = lab.feed(lab.type({d}));
  Map noisy = map_of({operand_leaf(0), random_leaf(0), step_of(ScalarOp::add, {0, 1})});
  Map::Random normal;
  normal.distribution = Distribution::normal;
  normal.a = 1;
  normal.key = 99;
  normal.dims = {b, l, d};
  noisy.random_leaves = {normal};
  const ValueId y = map2(lab, ScalarOp::add, lab.add(noisy, {x}, all), at, all);
  Map narrow = map_of({operand_leaf(0), operand_leaf(1), step_of(ScalarOp::mul, {0, 1}),
                       step_of(ScalarOp::cast, {2}, DType::bf16)});
  const ValueId z = lab.add(narrow, {y, scale}, half);
  lab.fetch(
      lab.add(Reduce{Combine::sum, {d}}, {z}, lab.type({b, l}, {{b, {a0}}}, {}, DType::bf16)));
  lab.fetch(lab.add(Reduce{Combine::min, {d}}, {y}, lab.type({b, l}, {{b, {a0}}})));
  lab.run(2);
  CHECK(ranges_of(lab.module).size() == 1);
}

TEST_CASE("a dimension split in one value and not in the next is cut by what each has of it") {
  Lab lab({{"rows", 2}});
  const DimId b = lab.dim("batch", 128), l = lab.dim("length", 128);
  // As of a step whose update is sharded: a weight that `rows` splits anyway, and one that is split
  // along another dimension for its update alone.
  const ShardType by_b = lab.type({b, l}, {{b, {a0}}}), by_l = lab.type({b, l}, {{l, {a0}}});
  const ValueId x = lab.feed(by_b), y = lab.feed(by_l);
  const ValueId squares = map2(lab, ScalarOp::mul, x, x, by_b);
  const ValueId others = map2(lab, ScalarOp::mul, y, y, by_l);
  lab.fetch(squares);
  lab.fetch(others);
  lab.run(2);
}

TEST_CASE("what needs another tile is not in one range with it") {
  Lab lab({});
  const DimId b = lab.dim("batch", 64), d = lab.dim("d", 64);
  const ShardType bd = lab.type({b, d}), db = lab.type({d, b});
  const ValueId x = lab.feed(bd);
  const ValueId y = map1(lab, ScalarOp::exp, x, bd);
  // Read transposed: a tile of z needs all tiles of y.
  const ValueId z = map1(lab, ScalarOp::neg, y, db);
  const ValueId w = map2(lab, ScalarOp::add, z, z, db);
  lab.fetch(w);
  // A sum over what tiles are cut by.
  const ValueId column = lab.add(Reduce{Combine::sum, {b}}, {w}, lab.type({d}));
  lab.fetch(map2(lab, ScalarOp::mul, w, column, db));
  lab.run(2);
  for (const backends::TiledRange& range : ranges_of(lab.module))
    for (std::size_t i = range.begin; i < range.end; ++i)
      for (const ValueId operand : lab.program().instructions[i].operands)
        for (std::size_t j = range.begin; j < i; ++j)
          if (lab.program().instructions[j].results[0] == operand)
            CHECK(lab.program().at(operand).type.tensor.dims[0] ==
                  lab.program().at(lab.program().instructions[i].results[0]).type.tensor.dims[0]);
}

}  // namespace backends_tiles_test
