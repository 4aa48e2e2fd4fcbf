// Local instructions on meshes of one to three axes, against brute force.
#include <catch2/catch.hpp>

#include "lab.h"

namespace backends_local_instructions_test {

using namespace lab;

namespace {
const AxisId a0 = axis(0), a1 = axis(1), a2 = axis(2);
}

TEST_CASE("map reads operands by name, broadcasts, and knows its global index") {
  Lab lab({{"rows", 2}, {"cols", 3}});
  const DimId b = lab.dim("batch", 4), h = lab.dim("hidden", 6);
  const ValueId x = lab.feed(lab.type({h, b}, {{b, {a0}}, {h, {a1}}}));  // transposed
  const ValueId y = lab.feed(lab.type({h}, {{h, {a1}}}));
  Map map =
      map_of({operand_leaf(0), operand_leaf(1), index_leaf(0), index_leaf(1),
              step_of(ScalarOp::add, {0, 1}), step_of(ScalarOp::cast, {2}),
              step_of(ScalarOp::cast, {3}), constant_leaf(100), step_of(ScalarOp::mul, {7, 5}),
              step_of(ScalarOp::add, {8, 6}), step_of(ScalarOp::add, {4, 9})});
  map.index_leaves = {b, h};
  const ValueId z = lab.add(map, {x, y}, lab.type({b, h}, {{b, {a0}}, {h, {a1}}}));
  lab.fetch(z);
  const Tensor want = lab.tensor({b, h}, [&](const Point& at) {
    return lab.fed(x)[at] + lab.fed(y)[at] + 100.0 * static_cast<double>(at.at(b)) +
           static_cast<double>(at.at(h));
  });
  CHECK(lab.run()[0].data == want.data);
}

TEST_CASE("a dimension over two axes is numbered major to minor, in any order of axes") {
  for (const auto& axes : {std::vector{a0, a1}, std::vector{a1, a0}}) {
    Lab lab({{"rows", 2}, {"cols", 3}});
    const DimId d = lab.dim("d", 12);
    Map map = map_of(
        {index_leaf(0), operand_leaf(0, DType::i32), step_of(ScalarOp::mul, {0, 1}, DType::i32)});
    map.index_leaves = {d};
    const ShardType type = lab.type({d}, {{d, axes}}, {}, DType::i32);
    const ValueId x = lab.feed(type);
    lab.fetch(lab.add(map, {x}, type));
    const Tensor want = lab.tensor(
        {d}, [&](const Point& at) { return static_cast<double>(at.at(d)) * lab.fed(x)[at]; });
    CHECK(lab.run()[0].data == want.data);
  }
}

TEST_CASE("a random sample is the same under every layout") {
  const auto draw = [](Splits splits, DimList order) {
    Lab lab({{"rows", 2}, {"cols", 2}});
    const DimId b = lab.dim("batch", 8), h = lab.dim("hidden", 6), c = lab.dim("copies", 2);
    Map map = map_of({random_leaf(0)});
    Map::Random normal;
    normal.distribution = Distribution::normal;
    normal.a = 1;
    normal.key = 1234567;
    normal.dims = {b, h};
    map.random_leaves = {normal};
    DimList dims = order.empty() ? DimList{b, h, c} : order;
    lab.fetch(lab.add(map, {}, lab.type(dims, std::move(splits))));
    const Tensor made = lab.run()[0];
    return lab.tensor({b, h, c}, [&](const Point& at) { return made[at]; });
  };
  const DimId b{0}, h{1}, c{2};
  const Tensor whole = draw({}, {});
  CHECK(whole.data[0] == whole.data[1]);  // broadcast along copies
  CHECK(whole.data[0] != whole.data[2]);
  CHECK(draw({{b, {a0}}, {h, {a1}}}, {}).data == whole.data);
  CHECK(draw({{b, {a1, a0}}}, {h, c, b}).data == whole.data);
  CHECK(draw({{h, {a0}}, {c, {a1}}}, {c, b, h}).data == whole.data);
}

TEST_CASE("contract with split batch, m, n and k") {
  Lab lab({{"x", 2}, {"y", 2}, {"z", 2}});
  const DimId g = lab.dim("g", 4), m = lab.dim("m", 6), n = lab.dim("n", 4), k = lab.dim("k", 8);
  const ValueId p = lab.feed(lab.type({k, g, m}, {{k, {a2}}, {g, {a0}}}));
  const ValueId q = lab.feed(lab.type({n, k, g}, {{n, {a1}}, {k, {a2}}, {g, {a0}}}));
  const Splits out = {{g, {a0}}, {n, {a1}}};
  const ValueId c = lab.add(Contract{{k}}, {p, q}, lab.type({m, g, n}, out, {a2}));
  lab.fetch(lab.add(AllReduce{Combine::sum, {a2}}, {c}, lab.type({m, g, n}, out)));
  const Tensor want = lab.tensor({m, g, n}, [&](const Point& at) {
    return lab.sum({k}, at, [&](const Point& i) { return lab.fed(p)[i] * lab.fed(q)[i]; });
  });
  CHECK(lab.run()[0].data == want.data);
}

TEST_CASE("reduce over split and whole dimensions") {
  Lab lab({{"rows", 2}, {"cols", 2}});
  const DimId b = lab.dim("b", 4), h = lab.dim("h", 6), w = lab.dim("w", 5);
  const ValueId x = lab.feed(lab.type({b, h, w}, {{b, {a0}}, {h, {a1}}}));
  const ValueId sum = lab.add(Reduce{Combine::sum, {h, b}}, {x}, lab.type({w}, {}, {a0, a1}));
  lab.fetch(lab.add(AllReduce{Combine::sum, {a0, a1}}, {sum}, lab.type({w})));
  const ValueId most = lab.add(Reduce{Combine::max, {b}}, {x},
                               lab.type({w, h}, {{h, {a1}}}, {a0}, DType::f32, Combine::max));
  lab.fetch(lab.add(AllReduce{Combine::max, {a0}}, {most}, lab.type({w, h}, {{h, {a1}}})));
  const std::vector<Tensor> got = lab.run();
  CHECK(got[0].data ==
        lab.tensor({w},
                   [&](const Point& at) {
                     return lab.sum({h, b}, at, [&](const Point& i) { return lab.fed(x)[i]; });
                   })
            .data);
  CHECK(got[1].data == lab.tensor({w, h},
                                  [&](const Point& at) {
                                    double best = -1000;
                                    lab.sum({b}, at, [&](const Point& i) {
                                      best = std::max(best, lab.fed(x)[i]);
                                      return 0.0;
                                    });
                                    return best;
                                  })
                           .data);
}

TEST_CASE("rearrange: rename, split, merge, with and without moving data") {
  Lab lab({{"rows", 2}, {"cols", 2}});
  const DimId b = lab.dim("b", 4), m = lab.dim("m", 12), h = lab.dim("h", 4), d = lab.dim("d", 3);
  const DimId e = lab.dim("e", 4), f = lab.dim("f", 12);
  const ValueId x = lab.feed(lab.type({b, m}, {{b, {a0}}, {m, {a1}}}));
  const Splits split = {{b, {a0}}, {h, {a1}}};
  const Rearrange into{{{{m}, {h, d}}}};
  lab.fetch(lab.add(into, {x}, lab.type({b, h, d}, split)));         // in place
  const ValueId t = lab.add(into, {x}, lab.type({d, h, b}, split));  // transposed
  lab.fetch(t);
  const Rearrange back{{{{h, d}, {f}}, {{b}, {e}}}};
  lab.fetch(lab.add(back, {t}, lab.type({f, e}, {{f, {a1}}, {e, {a0}}})));  // merge and rename
  const std::vector<Tensor> got = lab.run();
  const auto at_x = [&](const Point& at) {
    return lab.fed(x)[{{b, at.at(b)}, {m, at.at(h) * 3 + at.at(d)}}];
  };
  CHECK(got[0].data == lab.tensor({b, h, d}, at_x).data);
  CHECK(got[1].data == lab.tensor({d, h, b}, at_x).data);
  CHECK(got[2].data == lab.tensor({f, e},
                                  [&](const Point& at) {
                                    return lab.fed(x)[{{b, at.at(e)}, {m, at.at(f)}}];
                                  })
                           .data);
}

TEST_CASE("slice and pad are adjoint") {
  Lab lab({{"rows", 2}});
  const DimId b = lab.dim("b", 4), t = lab.dim("t", 7), s = lab.dim("s", 3);
  const ValueId x = lab.feed(lab.type({b, t}, {{b, {a0}}}));
  const ValueId cut = lab.add(Slice{t, s, 2}, {x}, lab.type({s, b}, {{b, {a0}}}));
  lab.fetch(cut);
  lab.fetch(lab.add(Pad{s, t, 2}, {cut}, lab.type({b, t}, {{b, {a0}}})));
  const std::vector<Tensor> got = lab.run();
  CHECK(got[0].data == lab.tensor({s, b},
                                  [&](const Point& at) {
                                    return lab.fed(x)[{{b, at.at(b)}, {t, at.at(s) + 2}}];
                                  })
                           .data);
  CHECK(got[1].data == lab.tensor({b, t},
                                  [&](const Point& at) {
                                    const bool inside = at.at(t) >= 2 && at.at(t) < 5;
                                    return inside ? lab.fed(x)[at] : 0.0;
                                  })
                           .data);
}

TEST_CASE("gather and scatter_add in a split table, also out of range") {
  Lab lab({{"rows", 2}, {"cols", 2}});
  const DimId b = lab.dim("b", 6), v = lab.dim("v", 8), h = lab.dim("h", 3);
  const ValueId table = lab.feed(lab.type({v, h}, {{v, {a1}}}));
  const ValueId index = lab.feed(lab.type({b}, {{b, {a0}}}, {}, DType::i32),
                                 [](std::int64_t i) { return static_cast<double>(i * 3 - 1); });
  const ValueId rows = lab.add(Gather{{v}, 5}, {table, index}, lab.type({b, h}, {{b, {a0}}}, {a1}));
  const ValueId full =
      lab.add(AllReduce{Combine::sum, {a1}}, {rows}, lab.type({b, h}, {{b, {a0}}}));
  lab.fetch(full);
  const ValueId sums =
      lab.add(ScatterAdd{{v}, {b}}, {full, index}, lab.type({h, v}, {{v, {a1}}}, {a0}));
  lab.fetch(lab.add(AllReduce{Combine::sum, {a0}}, {sums}, lab.type({h, v}, {{v, {a1}}})));
  const std::vector<Tensor> got = lab.run();
  const auto look = [&](const Point& at) {
    const auto i = static_cast<std::int64_t>(lab.fed(index)[at]);
    return i < 0 || i >= 8 ? 5.0 : lab.fed(table)[{{v, i}, {h, at.at(h)}}];
  };
  CHECK(got[0].data == lab.tensor({b, h}, look).data);
  CHECK(got[1].data == lab.tensor({h, v},
                                  [&](const Point& at) {
                                    return lab.sum({b}, at, [&](const Point& i) {
                                      const bool here = lab.fed(index)[i] == at.at(v);
                                      return here ? look(i) : 0.0;
                                    });
                                  })
                           .data);
}

}  // namespace backends_local_instructions_test
