// Work along the middle one of three dense dimensions, cut into tasks.
#pragma once
#include <algorithm>
#include <cstdint>

#include "support/rounding.h"

namespace mtfc::runtime {

constexpr std::int64_t kLineColumns = 256;   // side by side, one task each
constexpr std::int64_t kLineTask = 1 << 15;  // elements

/// `lines` outer indices with `columns` inner ones each make a task.
struct LineTasks {
  std::int64_t columns = 1, column_tasks = 1, lines = 1, line_tasks = 1;

  LineTasks(std::int64_t outer, std::int64_t length, std::int64_t inner) {
    columns = std::min(inner, kLineColumns);
    if (inner == 0) return;
    column_tasks = ceil_div(inner, columns);
    lines = std::max<std::int64_t>(1, kLineTask / std::max<std::int64_t>(1, length * columns));
    line_tasks = ceil_div(outer, lines);
  }
  std::int64_t count() const { return column_tasks * line_tasks; }
};

/// Calls body(call, line, first column, columns) for all lines of task `i`.
template <class Body>
void for_lines(const LineTasks& tasks, std::int64_t outer, std::int64_t inner, std::int64_t i,
               const Body& body) {
  const std::int64_t call = i / tasks.count(), task = i % tasks.count();
  const std::int64_t column = task % tasks.column_tasks * tasks.columns;
  const std::int64_t begin = task / tasks.column_tasks * tasks.lines;
  for (std::int64_t line = begin; line < std::min(begin + tasks.lines, outer); ++line)
    body(call, line, column, std::min(tasks.columns, inner - column));
}

}  // namespace mtfc::runtime
