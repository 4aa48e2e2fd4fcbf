#include "pipeline/task_picture.h"

#include <algorithm>
#include <cmath>

namespace mtfc::pipeline {
namespace {

/// Columns of a unit of time: all tasks fit, or the shortest takes two.
double scale(const std::vector<TimedTask>& tasks, double width) {
  double shortest = span(tasks);
  for (const TimedTask& task : tasks)
    if (task.end > task.begin) shortest = std::min(shortest, task.end - task.begin);
  if (shortest <= 0) return 0;
  return std::max(width / span(tasks), 2 / shortest);
}

std::size_t column(double time, double scale, std::size_t width) {
  return static_cast<std::size_t>(
      std::min(std::floor(time * scale + 1e-6), static_cast<double>(width)));
}

char drawn(const Task& task, int chunks) {
  constexpr int letters = 26;
  if (chunks == 1) return task.backward ? '<' : '>';
  return static_cast<char>((task.backward ? 'A' : 'a') + task.chunk % letters);
}

}  // namespace

Picture picture(const std::vector<TimedTask>& tasks, const Shape& shape, std::size_t width) {
  const double columns = scale(tasks, static_cast<double>(width));
  const std::size_t end = column(span(tasks), columns, width);
  std::vector<std::string> rows(static_cast<std::size_t>(shape.stages), std::string(end, '.'));
  for (const TimedTask& task : tasks) {
    std::string& row = rows[static_cast<std::size_t>(task.what.stage)];
    const std::size_t from = column(task.begin, columns, end), to = column(task.end, columns, end);
    if (from == to) continue;
    std::fill(row.begin() + static_cast<std::ptrdiff_t>(from),
              row.begin() + static_cast<std::ptrdiff_t>(to), drawn(task.what.task, shape.chunks));
    row[from] = static_cast<char>('0' + task.what.task.microbatch % 10);
  }
  const double all = span(tasks) * columns, fits = static_cast<double>(end);
  return {std::move(rows), all > fits + 1 ? fits / all : 1};
}

}  // namespace mtfc::pipeline
