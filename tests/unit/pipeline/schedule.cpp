// Orders of micro-batches, the time they take, and what is in flight, against closed forms.
#include "pipeline/schedule.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "pipeline/task_picture.h"
#include "pipeline/task_times.h"

namespace pipeline_schedule_test {

using namespace mtfc;
using namespace mtfc::pipeline;

namespace {

/// All shapes of these sizes, with one chunk in each plain schedule and several interleaved.
std::vector<Shape> shapes(int stages, std::int64_t microbatches) {
  std::vector<Shape> all;
  for (int p = 1; p <= stages; ++p)
    for (std::int64_t m = 1; m <= microbatches; ++m) {
      all.push_back({Schedule::gpipe, p, 1, m});
      all.push_back({Schedule::one_f_one_b, p, 1, m});
      for (int chunks = 2; chunks <= 4; ++chunks)
        if (m % p == 0) all.push_back({Schedule::interleaved, p, chunks, m});
    }
  return all;
}

/// "F0 F1 B0 B1"; with several chunks "F0a F0b".
std::string text(const Shape& shape, int stage) {
  std::string all;
  for (const Task& task : order(shape, stage)) {
    all += (all.empty() ? "" : " ") + std::string(task.backward ? "B" : "F") +
           std::to_string(task.microbatch);
    if (shape.chunks > 1) all += static_cast<char>('a' + task.chunk);
  }
  return all;
}

}  // namespace

TEST_CASE("orders of a small pipeline") {
  const Shape three{Schedule::one_f_one_b, 3, 1, 4};
  CHECK(text({Schedule::gpipe, 3, 1, 3}, 0) == "F0 F1 F2 B0 B1 B2");
  CHECK(text({Schedule::gpipe, 3, 1, 3}, 2) == "F0 F1 F2 B0 B1 B2");
  CHECK(text(three, 0) == "F0 F1 F2 B0 F3 B1 B2 B3");
  CHECK(text(three, 1) == "F0 F1 B0 F2 B1 F3 B2 B3");
  CHECK(text(three, 2) == "F0 B0 F1 B1 F2 B2 F3 B3");
  CHECK(text({Schedule::one_f_one_b, 4, 1, 2}, 0) == "F0 F1 B0 B1");
  const Shape two{Schedule::interleaved, 2, 2, 4};
  CHECK(text(two, 0) == "F0a F1a F0b F1b F2a B0b F3a B1b F2b B0a F3b B1a B2b B3b B2a B3a");
  CHECK(text(two, 1) == "F0a F1a F0b B0b F1b B1b F2a B0a F3a B1a F2b B2b F3b B3b B2a B3a");
}

TEST_CASE("every pass of every micro-batch runs once, each kind in ascending order") {
  for (const Shape& shape : shapes(5, 8))
    for (int stage = 0; stage < shape.stages; ++stage) {
      const auto chunks = static_cast<std::size_t>(shape.chunks);
      std::vector<std::int64_t> forward(chunks), backward(chunks);
      for (const Task& task : order(shape, stage)) {
        const auto chunk = static_cast<std::size_t>(task.chunk);
        CHECK(task.microbatch == (task.backward ? backward : forward)[chunk]++);
        CHECK(backward[chunk] <= forward[chunk]);
      }
      CHECK(forward == std::vector<std::int64_t>(chunks, shape.microbatches));
      CHECK(backward == forward);
    }
}

/// Narayanan et al., section 2.2: with v chunks 1 + (p - 1) / (p v) times the p micro-batches of
/// 1f1b, of which a chunk's pass is a v-th.
TEST_CASE("in flight: all with gpipe, min(p - i, m) with 1f1b, a part of p more interleaved") {
  for (const Shape& shape : shapes(6, 12))
    for (int stage = 0; stage < shape.stages; ++stage) {
      const std::int64_t p = shape.stages, v = shape.chunks, all = shape.microbatches * v;
      const std::int64_t most = most_in_flight(order(shape, stage));
      if (shape.schedule == Schedule::gpipe) CHECK(most == all);
      if (shape.schedule == Schedule::one_f_one_b) CHECK(most == std::min(p - stage, all));
      if (shape.schedule != Schedule::interleaved) continue;
      CHECK(most == std::min(2 * (p - 1 - stage) + (v - 1) * p + 1, all));
      if (stage == 0 && all > most) CHECK(most == p * v + p - 1);
    }
}

TEST_CASE("what is held by chunks of different sizes is that of the worst moment") {
  for (const Shape& shape : shapes(4, 8))
    for (int stage = 0; stage < shape.stages; ++stage) {
      const std::vector<Task> tasks = order(shape, stage);
      std::vector<std::int64_t> bytes;
      for (int chunk = 0; chunk < shape.chunks; ++chunk) bytes.push_back(5 + 11 * chunk % 7);
      const std::vector<std::int64_t> most = most_in_flight(tasks, bytes);
      std::int64_t now = 0, worst = 0, found = 0;
      for (const Task& task : tasks) {
        now += (task.backward ? -1 : 1) * bytes[static_cast<std::size_t>(task.chunk)];
        worst = std::max(worst, now);
      }
      for (std::size_t i = 0; i < bytes.size(); ++i) found += most[i] * bytes[i];
      CHECK(found == worst);
    }
}

TEST_CASE("one sequence for all stages keeps each stage's order, and nothing waits for itself") {
  for (const Shape& shape : shapes(5, 6)) {
    const std::vector<StageTask> all = sequence(shape);
    for (int stage = 0; stage < shape.stages; ++stage) {
      std::vector<Task> own;
      for (const StageTask& task : all)
        if (task.stage == stage) own.push_back(task.task);
      CHECK(own == order(shape, stage));
    }
    const auto place = [&](int at, bool backward, std::int64_t microbatch) {
      const StageTask wanted{at % shape.stages, {backward, microbatch, at / shape.stages}};
      return std::find(all.begin(), all.end(), wanted) - all.begin();
    };
    for (std::int64_t k = 0; k < shape.microbatches; ++k)
      for (int at = 0; at < shape.virtual_stages(); ++at) {
        if (at > 0) CHECK(place(at - 1, false, k) < place(at, false, k));
        if (at > 0) CHECK(place(at, true, k) < place(at - 1, true, k));
        CHECK(place(at, false, k) < place(at, true, k));
      }
  }
}

/// Narayanan et al., section 2.2: (p - 1) / m of the ideal time, a v-th of that interleaved.
TEST_CASE("equal stages wait for (p - 1) / (v m) of the time that the passes take") {
  for (const Shape& shape : shapes(6, 12)) {
    const double p = shape.stages, v = shape.chunks, m = static_cast<double>(shape.microbatches);
    const std::vector<StageTimes> times(static_cast<std::size_t>(shape.virtual_stages()),
                                        {1 / v, 2 / v});
    const auto tasks = timeline(shape, times, {});
    CHECK(span(tasks) == Approx(3 * m * (1 + (p - 1) / (v * m))));
    CHECK(idle_share(tasks, shape.stages) == Approx(least_idle(shape)).margin(1e-12));
    CHECK(least_idle(shape) == Approx((p - 1) / (v * m + p - 1)).margin(1e-12));
  }
}

TEST_CASE("the slowest stage sets the pace; sending delays, but takes no stage's time") {
  const std::vector<StageTimes> uneven = {{1, 1}, {3, 3}, {1, 1}};
  // The middle one pauses once, while the last ends its forward and begins its backward passes.
  const auto tasks = timeline({Schedule::gpipe, 3, 1, 8}, uneven, {});
  CHECK(span(tasks) == Approx(1 + 8 * 3 + 1 + 1 + 8 * 3 + 1));
  const std::vector<StageTimes> two = {{1, 1}, {1, 1}};
  const auto slow =
      timeline({Schedule::gpipe, 2, 1, 1}, two, {{0, false, 1, false, 5}, {1, true, 0, true, 7}});
  CHECK(span(slow) == Approx(1 + 5 + 2 + 7 + 1));
}

TEST_CASE("the picture of a small pipeline") {
  const std::vector<StageTimes> stages(2, {1, 1});
  const Shape plain{Schedule::gpipe, 2, 1, 2};
  const auto rows = picture(timeline(plain, stages, {}), plain, 12).rows;
  REQUIRE(rows.size() == 2);
  CHECK(rows[0] == "0>1>....0<1<");
  CHECK(rows[1] == "..0>1>0<1<..");
  const Shape chunks{Schedule::interleaved, 2, 2, 2};
  const std::vector<StageTimes> four(4, {1, 1});
  const auto lettered = picture(timeline(chunks, four, {}), chunks, 20).rows;
  CHECK(lettered[0] == "0a1a0b1b..0B..1B0A1A");
  CHECK(lettered[1] == "..0a1a0b0B1b1B0A1A..");
}

}  // namespace pipeline_schedule_test
