#include "predict/stopwatch.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "support/seconds_since.h"

namespace mtfc::predict {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

double seconds_of(runtime::net::Network& network, const std::function<void()>& run, double sample) {
  constexpr int samples = 9, taken = 1;
  run();  // libraries are opened, memory is touched
  const auto start = Clock::now();
  run();
  const auto here = static_cast<std::int64_t>(sample / (seconds_since(start) + 1e-9)) + 1;
  const std::int64_t repeats = network.lowest(std::min<std::int64_t>(here, 10000));
  std::vector<double> times;
  for (int i = 0; i < samples; ++i) {
    network.lowest(0);  // all begin together
    const auto begin = Clock::now();
    for (std::int64_t r = 0; r < repeats; ++r) run();
    times.push_back(seconds_since(begin) / static_cast<double>(repeats));
  }
  std::nth_element(times.begin(), times.begin() + taken, times.end());
  return static_cast<double>(network.highest(std::llround(times[taken] * 1e12))) * 1e-12;
}

}  // namespace mtfc::predict
