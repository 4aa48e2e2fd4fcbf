// The thread pool: every index once, run after run, with and without a sleep between.
#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <new>
#include <thread>

#include "lab.h"

namespace kernels_pool_test {

using namespace mtfc::runtime;
using namespace mtfc::runtime::lab;

TEST_CASE("every task runs once", "[pool]") {
  for (Pool* pool : pools()) {
    for (std::int64_t count = 0; count < 300; ++count) {
      std::vector<int> times(static_cast<std::size_t>(count), 0);
      pool->run(count, [&](std::int64_t i) { ++times[static_cast<std::size_t>(i)]; });
      REQUIRE(times == std::vector<int>(static_cast<std::size_t>(count), 1));
      if (count % 100 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
}

TEST_CASE("what a task throws is thrown on when nobody works any more", "[pool]") {
  for (Pool* pool : pools()) {
    if (pool->threads() == 1) continue;
    for (std::int64_t thrower = 0; thrower < 40; ++thrower) {
      std::atomic<int> ran = 0;
      const auto task = [&](std::int64_t i) {
        if (i % 40 == thrower) throw std::bad_alloc();
        ++ran;
      };
      CHECK_THROWS_AS(pool->run(80, task), std::bad_alloc);
      CHECK(ran == 78);
      pool->run(80, [&](std::int64_t) { ++ran; });
      CHECK(ran == 158);
    }
  }
}

TEST_CASE("many short runs, from two callers", "[pool]") {
  Pool pool(3);
  const auto caller = [&pool] {
    for (int round = 0; round < 3000; ++round) {
      std::int64_t parts[4] = {};
      pool.run(4, [&](std::int64_t i) { parts[i] = i + round; });
      if (parts[0] + parts[1] + parts[2] + parts[3] != 6 + 4 * round) return false;
    }
    return true;
  };
  bool other = false;
  std::thread thread([&] { other = caller(); });
  const bool mine = caller();
  thread.join();
  CHECK((mine && other));
}

TEST_CASE("a pool of no stated size has a thread for every core", "[pool]") {
  CHECK(Pool().threads() >= 1);
  CHECK(Pool(4).threads() == 4);
}

}  // namespace kernels_pool_test
