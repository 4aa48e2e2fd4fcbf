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

constexpr Schedule both[] = {Schedule::gpipe, Schedule::one_f_one_b};

/// "F0 F1 B0 B1"
std::string text(const std::vector<Task>& tasks) {
  std::string all;
  for (const Task& task : tasks)
    all += (all.empty() ? "" : " ") + std::string(task.backward ? "B" : "F") +
           std::to_string(task.microbatch);
  return all;
}

}  // namespace

TEST_CASE("orders of a small pipeline") {
  CHECK(text(order(Schedule::gpipe, 3, 0, 3)) == "F0 F1 F2 B0 B1 B2");
  CHECK(text(order(Schedule::gpipe, 3, 2, 3)) == "F0 F1 F2 B0 B1 B2");
  CHECK(text(order(Schedule::one_f_one_b, 3, 0, 4)) == "F0 F1 F2 B0 F3 B1 B2 B3");
  CHECK(text(order(Schedule::one_f_one_b, 3, 1, 4)) == "F0 F1 B0 F2 B1 F3 B2 B3");
  CHECK(text(order(Schedule::one_f_one_b, 3, 2, 4)) == "F0 B0 F1 B1 F2 B2 F3 B3");
  CHECK(text(order(Schedule::one_f_one_b, 4, 0, 2)) == "F0 F1 B0 B1");
}

TEST_CASE("every pass of every micro-batch runs once, each kind in ascending order") {
  for (const Schedule schedule : both)
    for (int p = 1; p <= 5; ++p)
      for (std::int64_t m = 1; m <= 7; ++m)
        for (int stage = 0; stage < p; ++stage) {
          std::int64_t forward = 0, backward = 0;
          for (const Task& task : order(schedule, p, stage, m)) {
            CHECK(task.microbatch == (task.backward ? backward : forward));
            ++(task.backward ? backward : forward);
            CHECK(backward <= forward);
          }
          CHECK(forward == m);
          CHECK(backward == m);
        }
}

TEST_CASE("micro-batches in flight: all with gpipe, min(p - i, m) with 1f1b") {
  for (int p = 1; p <= 6; ++p)
    for (std::int64_t m = 1; m <= 9; ++m)
      for (int stage = 0; stage < p; ++stage) {
        CHECK(most_in_flight(order(Schedule::gpipe, p, stage, m)) == m);
        CHECK(most_in_flight(order(Schedule::one_f_one_b, p, stage, m)) ==
              std::min<std::int64_t>(p - stage, m));
      }
}

TEST_CASE("one sequence for all stages keeps each stage's order") {
  for (const Schedule schedule : both)
    for (int p = 1; p <= 5; ++p)
      for (std::int64_t m = 1; m <= 6; ++m) {
        const std::vector<StageTask> all = sequence(schedule, p, m);
        for (int stage = 0; stage < p; ++stage) {
          std::vector<Task> own;
          for (const StageTask& task : all)
            if (task.stage == stage) own.push_back(task.task);
          CHECK(own == order(schedule, p, stage, m));
        }
        const auto place = [&](int stage, bool backward, std::int64_t microbatch) {
          const StageTask wanted{stage, {backward, microbatch}};
          return std::find(all.begin(), all.end(), wanted) - all.begin();
        };
        for (std::int64_t k = 0; k < m; ++k)
          for (int stage = 0; stage < p; ++stage) {
            if (stage > 0) CHECK(place(stage - 1, false, k) < place(stage, false, k));
            if (stage > 0) CHECK(place(stage, true, k) < place(stage - 1, true, k));
            CHECK(place(stage, false, k) < place(stage, true, k));
          }
      }
}

TEST_CASE("equal stages wait for (p - 1) / (m + p - 1) of the time, in both schedules") {
  for (const Schedule schedule : both)
    for (int p = 1; p <= 6; ++p)
      for (std::int64_t m = 1; m <= 12; ++m) {
        const std::vector<StageTimes> stages(static_cast<std::size_t>(p), {1, 2});
        const auto tasks = timeline(schedule, m, stages, {});
        CHECK(span(tasks) == Approx(3.0 * static_cast<double>(m + p - 1)));
        CHECK(idle_share(tasks, p) ==
              Approx((p - 1) / static_cast<double>(m + p - 1)).margin(1e-12));
      }
}

TEST_CASE("the slowest stage sets the pace; sending delays, but takes no stage's time") {
  const std::vector<StageTimes> uneven = {{1, 1}, {3, 3}, {1, 1}};
  // The middle one pauses once, while the last ends its forward and begins its backward passes.
  const auto tasks = timeline(Schedule::gpipe, 8, uneven, {});
  CHECK(span(tasks) == Approx(1 + 8 * 3 + 1 + 1 + 8 * 3 + 1));
  const std::vector<StageTimes> two = {{1, 1}, {1, 1}};
  const auto slow =
      timeline(Schedule::gpipe, 1, two, {{0, false, 1, false, 5}, {1, true, 0, true, 7}});
  CHECK(span(slow) == Approx(1 + 5 + 2 + 7 + 1));
}

TEST_CASE("the picture of a small pipeline") {
  const std::vector<StageTimes> stages(2, {1, 1});
  const auto rows = picture(timeline(Schedule::gpipe, 2, stages, {}), 2, 12);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0] == "0>1>....0<1<");
  CHECK(rows[1] == "..0>1>0<1<..");
}

}  // namespace pipeline_schedule_test
