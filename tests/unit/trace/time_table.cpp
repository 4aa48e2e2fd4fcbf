// The table of a measured step: which step it shows, and how time is dealt out.
#include "trace/time_table.h"

#include <catch2/catch.hpp>

namespace trace_time_table_test {

using namespace mtfc;
using namespace mtfc::trace;
using Kind = EventLabel::Kind;

namespace {

/// Of a program with these kinds, lines and FLOPs.
ProgramTracks program(const std::string& name, std::int64_t times,
                      const std::vector<std::tuple<Kind, std::string, double>>& instructions) {
  ProgramTracks tracks;
  tracks.program = name;
  tracks.times = times;
  for (const auto& [kind, line, flops] : instructions) {
    EventLabel label;
    label.kind = kind;
    label.what = "map";
    label.line = line;
    tracks.labels.push_back(label);
    cost::Work work;
    work.kind = cost::Work::Kind::other;
    work.flops = flops;
    work.bytes = 8 * flops;
    tracks.work.push_back(work);
  }
  return tracks;
}

const TimeRow& row(const TimeTable& table, const std::string& line) {
  for (const TimeRow& each : table.rows)
    if (each.line == line) return each;
  FAIL("no row of " << line);
  return table.rows.front();
}

}  // namespace

TEST_CASE("a table shows the step of median time, without the first one", "[trace]") {
  const std::vector<ProgramTracks> step = {program("train", 1, {{Kind::computation, "a:1", 10}})};
  const auto run = [](Nanoseconds took) { return MeasuredRun{"train", {5, 5 + took, 6 + took}}; };
  CHECK(time_table(step, {}).steps == 0);
  const TimeTable one = time_table(step, {run(900)});
  CHECK((one.steps == 1 && one.step == 1));
  CHECK(one.rows.at(0).seconds == Approx(900e-9));
  const TimeTable four = time_table(step, {run(900), run(30), run(10), run(20)});
  CHECK((four.steps == 4 && four.step == 4));
  CHECK(four.seconds == Approx(21e-9));
  CHECK(four.rows.at(0).seconds == Approx(20e-9));
}

TEST_CASE("a table adds up micro-batches, processors and what is done together", "[trace]") {
  std::vector<ProgramTracks> step = {
      program("accumulate", 2,
              {{Kind::computation, "a:1", 30},  // together with the next two
               {Kind::nothing, "a:9", 0},
               {Kind::computation, "a:2", 10},
               {Kind::computation, "a:3", 7}}),
      program("update", 1, {{Kind::computation, "a:3", 1}})};
  step[0].processors = step[1].processors = 4;
  step[0].work[3].times = 2;  // two of them do the same
  const std::vector<MeasuredRun> runs = {{"accumulate", {0, 40, 40, 40, 47, 48}},
                                         {"accumulate", {50, 130, 130, 130, 133, 134}},
                                         {"update", {140, 145, 146}}};
  const TimeTable table = time_table(step, runs);
  CHECK(table.seconds == Approx((48 + 84 + 6) * 1e-9));
  CHECK(row(table, "a:1").seconds == Approx((30 + 60) * 1e-9));
  CHECK(row(table, "a:2").seconds == Approx((10 + 20) * 1e-9));
  CHECK(row(table, "a:3").seconds == Approx((7 + 3 + 5) * 1e-9));
  CHECK(row(table, "a:1").calls == 2);
  CHECK(row(table, "a:1").flops == 2 * 30 * 4);
  CHECK(row(table, "a:3").flops == 2 * 7 * 2 + 1 * 4);
  CHECK(row(table, "a:3").bytes == 8 * row(table, "a:3").flops);
  CHECK(table.rows.front().line == "a:1");
  for (const TimeRow& each : table.rows) CHECK(each.line != "a:9");
}

}  // namespace trace_time_table_test
