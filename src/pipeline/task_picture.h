// The picture of micro-batches over time, as text.
#pragma once
#include <string>
#include <vector>

#include "pipeline/task_times.h"

namespace mtfc::pipeline {

struct Picture {
  std::vector<std::string> rows;
  double shown = 1;  // the share of the time that fits
};

/// A line for each stage, at most `width` columns: "0>>1>>....0<<<<<1<<<<<", forward passes drawn
/// with `>`, backward passes with `<`, each behind the last digit of its micro-batch, and waiting
/// with `.`. Where stages have several chunks, a letter for each takes the place of `>` (small) and
/// `<` (capital). What does not fit at two columns for the shortest pass is cut off.
Picture picture(const std::vector<TimedTask>& tasks, const Shape& shape, std::size_t width);

}  // namespace mtfc::pipeline
