// A cache by ranges, against one that looks at every byte.
#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

#include "cost/reuse.h"

namespace cost_reuse_test {

using mtfc::cost::Cache;

namespace {

/// Byte by byte, the latest use last.
class EveryByte {
 public:
  explicit EveryByte(std::int64_t capacity) : capacity_(static_cast<std::size_t>(capacity)) {}

  std::int64_t use(std::int64_t begin, std::int64_t end) {
    std::int64_t missing = 0;
    for (std::int64_t at = begin; at < end; ++at) {
      const auto found = std::find(held_.begin(), held_.end(), at);
      if (found == held_.end())
        ++missing;
      else
        held_.erase(found);
      held_.push_back(at);
      if (held_.size() > capacity_) held_.erase(held_.begin());
    }
    return missing;
  }

 private:
  std::size_t capacity_;
  std::vector<std::int64_t> held_;
};

}  // namespace

TEST_CASE("a cache holds what was used last") {
  Cache cache(100);
  CHECK(cache.use(0, 60) == 60);
  CHECK(cache.use(0, 60) == 0);
  CHECK(cache.use(200, 240) == 40);
  CHECK(cache.use(30, 60) == 0);
  // 200..239 and 30..59 are newer than 0..29: 10 of these make room.
  CHECK(cache.use(300, 310) == 10);
  CHECK(cache.use(10, 30) == 0);
  CHECK(cache.use(0, 10) == 10);
}

TEST_CASE("a round over more than the cache holds finds nothing") {
  Cache cache(100);
  for (int round = 0; round < 3; ++round) CHECK(cache.use(0, 101) == 101);
  for (int round = 0; round < 3; ++round) CHECK(cache.use(1000, 1100) == (round == 0 ? 100 : 0));
  CHECK(cache.use(0, 0) == 0);
  Cache nothing(0);
  CHECK(nothing.use(5, 9) == 4);
  CHECK(nothing.use(5, 9) == 4);
}

TEST_CASE("ranges give what every byte gives") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const auto below = [&](int n) { return static_cast<std::int64_t>(random() % n); };
    const std::int64_t capacity = below(60);
    Cache cache(capacity);
    EveryByte bytes(capacity);
    for (int i = 0; i < 60; ++i) {
      const std::int64_t begin = below(90), end = begin + below(i % 7 == 0 ? 80 : 15);
      CHECK(cache.use(begin, end) == bytes.use(begin, end));
    }
  }
}

}  // namespace cost_reuse_test
