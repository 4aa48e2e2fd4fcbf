#include "trace/time_table.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include "support/check.h"

namespace mtfc::trace {
namespace {

double seconds(Nanoseconds begin, Nanoseconds end) {
  return 1e-9 * static_cast<double>(end - begin);
}

/// By instruction. Members of tiles are done at the same moment, the one after the last.
std::vector<double> times_of(const ProgramTracks& program, const MeasuredRun& run) {
  const std::size_t count = program.labels.size();
  MTFC_CHECK(run.times.size() == count + 2, "a run that is not one of its program");
  std::vector<double> times(count, 0);
  for (std::size_t i = 0, end = 1; i < count; i = end++) {
    while (end < count && run.times[end + 1] == run.times[end]) ++end;
    const double together = seconds(run.times[i], run.times[i + 1]);
    double all = 0;
    for (std::size_t m = i; m < end; ++m) all += program.work[m].flops;
    if (all <= 0) times[i] = together;
    for (std::size_t m = i; m < end && all > 0; ++m)
      times[m] = together * program.work[m].flops / all;
  }
  return times;
}

class Rows {
 public:
  void add(const ProgramTracks& program, const MeasuredRun& run) {
    const std::vector<double> times = times_of(program, run);
    for (std::size_t i = 0; i < times.size(); ++i)
      if (program.labels[i].kind != EventLabel::Kind::nothing)
        add(program.labels[i], program.work[i], program.processors, times[i]);
  }
  std::vector<TimeRow> sorted() const {
    std::vector<TimeRow> rows;
    for (const auto& [key, row] : rows_) rows.push_back(row);
    std::stable_sort(rows.begin(), rows.end(),
                     [](const TimeRow& a, const TimeRow& b) { return a.seconds > b.seconds; });
    return rows;
  }

 private:
  void add(const EventLabel& label, const cost::Work& work, std::int64_t processors, double time) {
    const std::string what =
        (label.async && label.kind == EventLabel::Kind::collective ? "start " + label.what
                                                                   : label.what);
    TimeRow& row = rows_[{what, label.line, label.phase, work.kind, work.dtype}];
    const auto distinct = static_cast<double>(std::max<std::int64_t>(processors / work.times, 1));
    row.what = what;
    row.line = label.line;
    row.phase = label.phase;
    row.kind = work.kind;
    row.dtype = work.dtype;
    row.calls += 1;
    row.seconds += time;
    row.flops += work.flops * distinct;
    row.bytes += work.bytes * distinct;
  }

  std::map<std::tuple<std::string, std::string, Phase, cost::Work::Kind, DType>, TimeRow> rows_;
};

double seconds_of(std::span<const MeasuredRun> runs) {
  double sum = 0;
  for (const MeasuredRun& run : runs) sum += seconds(run.times.front(), run.times.back());
  return sum;
}

}  // namespace

TimeTable time_table(const std::vector<ProgramTracks>& step, const std::vector<MeasuredRun>& runs) {
  std::size_t each = 0;
  for (const ProgramTracks& program : step) each += static_cast<std::size_t>(program.times);
  TimeTable table;
  if (each == 0 || runs.size() < each) return table;
  std::vector<std::pair<double, std::size_t>> steps;  // seconds, number
  for (std::size_t s = 0; (s + 1) * each <= runs.size(); ++s)
    steps.emplace_back(seconds_of(std::span(runs).subspan(s * each, each)), s);
  table.steps = static_cast<std::int64_t>(steps.size());
  if (steps.size() > 1) steps.erase(steps.begin());
  std::sort(steps.begin(), steps.end());
  const auto& [seconds, shown] = steps[(steps.size() - 1) / 2];
  table.step = static_cast<std::int64_t>(shown) + 1;
  table.seconds = seconds;
  Rows rows;
  for (const MeasuredRun& run : std::span(runs).subspan(shown * each, each))
    rows.add(tracks_of(step, run.program), run);
  table.rows = rows.sorted();
  return table;
}

}  // namespace mtfc::trace
