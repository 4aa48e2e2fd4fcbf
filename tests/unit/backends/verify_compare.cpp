// What rounding explains of a difference, and what it does not.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "backends/verify/compare.h"

namespace backends_verify_compare_test {

using namespace mtfc;
using namespace mtfc::backends;

namespace {

constexpr double unit = 0x1p-53;

runtime::HostTensor tensor(std::vector<double> values) {
  runtime::HostTensor made =
      runtime::HostTensor::zeros(DType::f64, {static_cast<std::int64_t>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i)
    runtime::set_element(made, static_cast<std::int64_t>(i), values[i]);
  return made;
}

Outcome outcome(std::vector<double> gradient, std::vector<double> variable) {
  Outcome made;
  made.fetched.push_back({"tensor", "grad.w", tensor(std::move(gradient))});
  made.variables.emplace_back("w", tensor(std::move(variable)));
  return made;
}

Expected expected(Outcome right) { return {{Section::Kind::step, {}}, {}, std::move(right), {}}; }

}  // namespace

TEST_CASE("some hundred roundings are no difference, a mistake of 1e-11 is one") {
  const Expected right = expected(outcome({1, 2}, {3, 4}));
  const auto exceeding = [&](double by) {
    const auto all = compare(right, outcome({1, 2 + by}, {3, 4}), unit);
    REQUIRE(all.size() == 2);
    CHECK_FALSE(all[1].exceeds());
    return all[0].exceeds();
  };
  CHECK_FALSE(exceeding(0));
  CHECK_FALSE(exceeding(5e-14));
  CHECK(exceeding(1e-11));
  CHECK(exceeding(std::numeric_limits<double>::quiet_NaN()));
  CHECK(exceeding(std::numeric_limits<double>::infinity()));
}

TEST_CASE("what a disturbance changes is allowed, sixteen times") {
  // Zero in exact arithmetic, and an update that divides it by its size.
  Expected right = expected(outcome({1e-17, 1}, {1e-4, 1}));
  const Outcome other = outcome({-1e-17, 1}, {-1e-4, 1});
  CHECK_FALSE(compare(right, other, unit)[0].exceeds());
  CHECK(compare(right, other, unit)[1].exceeds());
  right.disturbed = outcome({3e-17, 1}, {0.8e-4, 1});
  CHECK_FALSE(compare(right, other, unit)[1].exceeds());
  CHECK(compare(right, outcome({1e-17, 1}, {-1e-2, 1}), unit)[1].exceeds());
}

TEST_CASE("one element of many is far, and the tensor as a whole is not") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> values(100, 1), other = values;
  other[7] = 1.5;
  const Expected right = expected(outcome(values, {1}));
  const Difference far = compare(right, outcome(other, {1}), unit)[0];
  CHECK(far.relative == Approx(0.5));
  CHECK(far.overall == Approx(0.05));
  other[7] = nan;
  CHECK(std::isinf(compare(right, outcome(other, {1}), unit)[0].overall));
  CHECK(compare(right, outcome(values, {1}), unit)[0].overall == 0);
}

TEST_CASE("equal infinities are equal, and what is not there differs") {
  const double inf = std::numeric_limits<double>::infinity();
  const Expected right = expected(outcome({1, -inf}, {1, 1}));
  CHECK_FALSE(compare(right, outcome({1, -inf}, {1, 1}), unit)[0].exceeds());
  CHECK(compare(right, outcome({1, inf}, {1, 1}), unit)[0].exceeds());
  Outcome less = outcome({1, -inf}, {1, 1});
  less.variables.clear();
  CHECK(compare(right, less, unit)[1].exceeds());
  less.fetched.clear();  // gradients are shown only by programs that were lowered to show them
  CHECK(compare(right, less, unit).size() == 1);
}

TEST_CASE("what is not finite in both is told, whatever else differs") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const Expected right = expected(outcome({1, nan}, {inf, 1}));
  const auto same = compare(right, outcome({1, nan}, {inf, 1}), unit);
  CHECK(same[0].both == NotFinite::not_a_number);
  CHECK(same[1].both == NotFinite::infinite);
  CHECK_FALSE(same[0].exceeds());
  CHECK_FALSE(same[0].must_be_finite);  // a gradient
  CHECK(same[1].must_be_finite);
  auto other = compare(right, outcome({nan, 1}, {-inf, 1}), unit);
  CHECK(other[0].both == NotFinite::none);
  CHECK(other[1].both == NotFinite::none);
  // Of several sections the worst of both, and the largest difference.
  merge(other, same);
  CHECK(other[0].both == NotFinite::not_a_number);
  CHECK(other[0].exceeds());
}

TEST_CASE("a late step is compared where the run is longer than the first ones") {
  CHECK(compared_steps(3, 300) == std::vector<std::int64_t>{0, 1, 2, 200});
  CHECK(compared_steps(3, 3) == std::vector<std::int64_t>{0, 1, 2});
  CHECK(compared_steps(2, 0) == std::vector<std::int64_t>{0, 1});
}

}  // namespace backends_verify_compare_test
