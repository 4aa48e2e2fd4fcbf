// Data sources that read no file: what they make up.
#include <catch2/catch.hpp>
#include <numeric>
#include <set>

#include "unit/data/lab.h"

namespace data_made_up_test {

using namespace mtfc;
using namespace mtfc::runtime;
using namespace mtfc::test;

TEST_CASE("gaussian: fresh every step unless fixed; evaluation does not know the batch", "[data]") {
  const auto values = [](bool fixed, std::int64_t batch, Split split, std::int64_t number) {
    const auto spec = source_of("gaussian", {{"seed", std::int64_t{7}}, {"fixed", fixed}});
    auto feeder = Feeder::open(plan_of(spec, {input("x", DType::f32, {batch, 3}, {"n", "d"}, "")}));
    REQUIRE(feeder);
    Feeds feeds;
    REQUIRE((split == Split::train ? feeder->train(number, feeds) : feeder->eval(number, feeds)));
    const HostTensor& x = feeds.at("x");
    return std::vector<float>(x.as<float>(), x.as<float>() + x.elements());
  };
  CHECK(values(false, 4, Split::train, 0) != values(false, 4, Split::train, 1));
  CHECK(values(true, 4, Split::train, 0) == values(true, 4, Split::train, 1));
  CHECK(values(true, 4, Split::train, 0) == values(false, 4, Split::train, 0));
  CHECK(values(false, 4, Split::eval, 0) != values(false, 4, Split::train, 0));
  auto parts = values(false, 2, Split::eval, 0);
  const auto second = values(false, 2, Split::eval, 1);
  parts.insert(parts.end(), second.begin(), second.end());
  CHECK(parts == values(false, 4, Split::eval, 0));
  const auto many = values(false, 10000, Split::train, 3);
  const double mean = std::accumulate(many.begin(), many.end(), 0.0) / double(many.size());
  const double square = std::inner_product(many.begin(), many.end(), many.begin(), 0.0);
  CHECK(std::abs(mean) < 0.02);
  CHECK(std::abs(square / double(many.size()) - 1) < 0.03);
}

TEST_CASE("gaussian_labels: whole numbers below `classes`", "[data]") {
  const auto spec =
      source_of("gaussian_labels", {{"seed", std::int64_t{1}}, {"classes", std::int64_t{4}}});
  auto made = plan_of(spec, {input("y", DType::i32, {500}, {"n"}, "")});
  auto feeder = Feeder::open(made);
  REQUIRE(feeder);
  Feeds feeds;
  REQUIRE(feeder->train(0, feeds));
  const auto labels = ints_of(feeds, "y");
  CHECK(std::set<int>(labels.begin(), labels.end()) == std::set<int>{0, 1, 2, 3});
  CHECK_FALSE(feeder->steps_of(1));
  made.inputs[0].ids = 3, made.inputs[0].ids_dim = "c";
  CHECK(refusal_of(made) == "`s` does not fit: classes: 4, c = 3 | -D c=4");
}

TEST_CASE("digits: the fields of idx, the same every time", "[data]") {
  const auto spec = source_of(
      "digits",
      {{"seed", std::int64_t{3}}, {"count", std::int64_t{200}}, {"eval_count", std::int64_t{10}}});
  const auto made =
      plan_of(spec, {input("image", DType::f32, {50, 28, 28}, {"n", "row", "col"}, "image"),
                     input("label", DType::i32, {50}, {"n"}, "label")});
  auto feeder = Feeder::open(made);
  REQUIRE(feeder);
  Feeds feeds, again;
  REQUIRE(feeder->train(0, feeds));
  REQUIRE(Feeder::open(made)->train(0, again));
  CHECK(feeds.at("image").data == again.at("image").data);
  const HostTensor& image = feeds.at("image");
  const auto [low, high] =
      std::minmax_element(image.as<float>(), image.as<float>() + image.elements());
  CHECK(*low == 0);
  CHECK(*high > 0.9f);
  const auto labels = ints_of(feeds, "label");
  CHECK(std::set<int>(labels.begin(), labels.end()).size() == 10);
}

}  // namespace data_made_up_test
