// Every collective on meshes of one to three axes, against the whole tensor.
#include <catch2/catch.hpp>

#include "lab.h"

namespace backends_collectives_test {

using namespace lab;

namespace {

const AxisId a0 = axis(0), a1 = axis(1), a2 = axis(2);
const std::vector<std::vector<MeshAxis>> kMeshes = {
    {{"rows", 3}, {"cols", 1}, {"deep", 1}},
    {{"rows", 2}, {"cols", 3}, {"deep", 1}},
    {{"rows", 2}, {"cols", 3}, {"deep", 2}},
};

/// A pending sum over `partial`: x * (1 + coordinate) summed, made by contracting a split index.
struct Pending {
  ValueId value;
  std::function<double(const Point&)> whole;
};

/// x[.., k] reduced over k, which is split over `over`.
Pending pending(Lab& lab, DimList dims, const Splits& splits, const std::vector<AxisId>& over,
                Combine combine) {
  const DimId k = lab.dim("k", 12);
  DimList with = dims;
  with.insert(with.begin(), k);
  Splits both = splits;
  both.push_back({k, over});
  const ValueId x = lab.feed(lab.type(with, both));
  std::vector<AxisId> partial = over;
  std::sort(partial.begin(), partial.end());
  const ValueId value =
      lab.add(Reduce{combine, {k}}, {x}, lab.type(dims, splits, partial, DType::f32, combine));
  return {value, [&lab, x, k, combine](const Point& at) {
            double total = combine == Combine::sum ? 0 : -1000;
            lab.sum({k}, at, [&](const Point& i) {
              const double v = lab.fed(x)[i];
              total = combine == Combine::sum ? total + v : std::max(total, v);
              return 0.0;
            });
            return total;
          }};
}

}  // namespace

TEST_CASE("all_reduce over one or more axes, sum and max, in a bucket") {
  for (const auto& mesh : kMeshes) {
    for (const Combine combine : {Combine::sum, Combine::max}) {
      Lab lab(mesh);
      const DimId b = lab.dim("b", 6), h = lab.dim("h", 5);
      const Splits split = {{b, {a1}}};
      const Pending one = pending(lab, {b, h}, split, {a2, a0}, combine);
      const Pending two = pending(lab, {h}, {}, {a0, a2}, combine);
      const auto first =
          lab.add(AllReduce{combine, {a0, a2}}, {one.value, two.value}, lab.type({b, h}, split));
      const auto second = next_id<ValueId>(lab.program().values);
      lab.program().values.push_back({lab.type({h}), ""});
      lab.program().instructions.back().results.push_back(second);
      lab.fetch(first);
      lab.fetch(second);
      const std::vector<Tensor> got = lab.run();
      CHECK(got[0].data == lab.tensor({b, h}, one.whole).data);
      CHECK(got[1].data == lab.tensor({h}, two.whole).data);
    }
  }
}

TEST_CASE("reduce_scatter along the first and along an inner dimension") {
  for (const auto& mesh : kMeshes) {
    for (const bool inner : {false, true}) {
      Lab lab(mesh);
      const DimId b = lab.dim("b", 12), h = lab.dim("h", 6);
      const Splits before = {{b, {a1}}};
      const Pending sum = pending(lab, {b, h}, before, {a0}, Combine::sum);
      const Splits after = inner ? Splits{{b, {a1}}, {h, {a0}}} : Splits{{b, {a1, a0}}};
      const DimId dim = inner ? h : b;
      lab.fetch(
          lab.add(ReduceScatter{Combine::sum, {dim}, a0}, {sum.value}, lab.type({b, h}, after)));
      CHECK(lab.run()[0].data == lab.tensor({b, h}, sum.whole).data);
    }
  }
}

TEST_CASE("all_gather gives up the minor-most axis, shard takes it") {
  for (const auto& mesh : kMeshes) {
    Lab lab(mesh);
    const DimId b = lab.dim("b", 12), h = lab.dim("h", 6);
    const ValueId x = lab.feed(lab.type({h, b}, {{b, {a1, a0}}, {h, {a2}}}));
    const ValueId y = lab.add(AllGather{{b}, a0}, {x}, lab.type({h, b}, {{b, {a1}}, {h, {a2}}}));
    lab.fetch(y);
    const ValueId z = lab.add(AllGather{{h}, a2}, {y}, lab.type({h, b}, {{b, {a1}}}));
    lab.fetch(z);
    const ValueId s = lab.add(Shard{h, a0}, {z}, lab.type({h, b}, {{b, {a1}}, {h, {a0}}}));
    lab.fetch(s);
    for (const Tensor& got : lab.run()) CHECK(got.data == lab.fed(x).data);
  }
}

TEST_CASE("all_to_all moves an axis from one dimension to another") {
  for (const auto& mesh : kMeshes) {
    for (const bool swapped : {false, true}) {
      Lab lab(mesh);
      const DimId b = lab.dim("b", 12), h = lab.dim("h", 6), w = lab.dim("w", 2);
      const DimList dims = swapped ? DimList{w, h, b} : DimList{b, w, h};
      const ValueId x = lab.feed(lab.type(dims, {{b, {a1, a0}}}));
      lab.fetch(lab.add(AllToAll{b, h, a0}, {x}, lab.type(dims, {{b, {a1}}, {h, {a0}}})));
      CHECK(lab.run()[0].data == lab.fed(x).data);
    }
  }
}

TEST_CASE("permute exchanges one axis for another of the same size") {
  Lab lab({{"x", 3}, {"y", 2}, {"z", 3}});
  const DimId b = lab.dim("b", 18), h = lab.dim("h", 2);
  const ValueId x = lab.feed(lab.type({h, b}, {{b, {a1, a0}}}));
  const ValueId y = lab.add(Permute{{{b, {a0}, {a2}}}}, {x}, lab.type({h, b}, {{b, {a1, a2}}}));
  lab.fetch(y);
  lab.fetch(lab.add(Permute{{{b, {a2}, {a0}}}}, {y}, lab.type({h, b}, {{b, {a1, a0}}})));
  for (const Tensor& got : lab.run()) CHECK(got.data == lab.fed(x).data);
}

}  // namespace backends_collectives_test
