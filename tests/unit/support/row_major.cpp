#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>

#include "support/row_major.h"
#include "support/strides.h"

namespace support_row_major_test {

using namespace mtfc;
using Numbers = std::vector<std::int64_t>;

TEST_CASE("row-major: the last axis is the fastest") {
  const RowMajor grid({2, 3});
  CHECK(grid.count() == 6);
  const Numbers at{1, 1};
  CHECK(grid.number(at.data()) == 4);
  Numbers found{9, 9};
  grid.locate(5, found.data());
  CHECK(found == Numbers{1, 2});
  CHECK(dense_strides({2, 3, 4}) == Numbers{12, 4, 1});
  CHECK(dense_strides({}).empty());
}

TEST_CASE("row-major: without axes there is one cell") {
  const RowMajor one({2, 3}, {});
  CHECK(one.count() == 1);
  Numbers at{1, 2};
  CHECK(one.number(at.data()) == 0);
  one.locate(0, at.data());
  CHECK(at == Numbers{1, 2});
}

TEST_CASE("row-major: axes in another order are numbered in that order") {
  const RowMajor turned({2, 3, 4}, {2, 0});
  const Numbers at{1, 2, 3};
  CHECK(turned.number(at.data()) == 3 * 2 + 1);
}

TEST_CASE("row-major: number and coordinates are inverse, on any axes of any grid") {
  std::mt19937 random(7);
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (int round = 0; round < 200; ++round) {
    Numbers sizes(static_cast<std::size_t>(pick(0, 4)));
    for (std::int64_t& size : sizes) size = pick(1, 5);
    std::vector<int> axes(sizes.size());
    std::iota(axes.begin(), axes.end(), 0);
    std::shuffle(axes.begin(), axes.end(), random);
    axes.resize(static_cast<std::size_t>(pick(0, static_cast<int>(axes.size()))));
    const RowMajor some(sizes, axes);
    Numbers begin(sizes.size() + 1);
    for (std::size_t i = 0; i < sizes.size(); ++i)
      begin[i] = pick(0, static_cast<int>(sizes[i]) - 1);
    // Number to coordinates and back; other axes stay.
    for (std::int64_t number = 0; number < some.count(); ++number) {
      Numbers at = begin;
      some.locate(number, at.data());
      CHECK(some.number(at.data()) == number);
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        const bool is_counted = std::count(axes.begin(), axes.end(), static_cast<int>(i)) > 0;
        if (!is_counted) CHECK(at[i] == begin[i]);
        CHECK((at[i] >= 0 && at[i] < sizes[i]));
      }
    }
    // Coordinates to number and back; the number is that of the strides.
    Numbers back = begin;
    some.locate(some.number(begin.data()), back.data());
    CHECK(back == begin);
    Numbers counted;
    for (const int axis : axes) counted.push_back(sizes[static_cast<std::size_t>(axis)]);
    const Numbers strides = dense_strides(counted);
    std::int64_t number = 0;
    for (std::size_t i = 0; i < axes.size(); ++i)
      number += strides[i] * begin[static_cast<std::size_t>(axes[i])];
    CHECK(some.number(begin.data()) == number);
  }
}

}  // namespace support_row_major_test
