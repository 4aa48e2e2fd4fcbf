#include "support/row_major.h"

#include <numeric>

namespace mtfc {
namespace {

std::vector<int> all_axes_of(std::size_t rank) {
  std::vector<int> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

}  // namespace

RowMajor::RowMajor(const std::vector<std::int64_t>& sizes)
    : RowMajor(sizes, all_axes_of(sizes.size())) {}

RowMajor::RowMajor(const std::vector<std::int64_t>& sizes, const std::vector<int>& axes) {
  axes_.reserve(axes.size());
  for (const int axis : axes) {
    axes_.push_back({axis, sizes[static_cast<std::size_t>(axis)]});
    count_ *= axes_.back().size;
  }
}

std::int64_t RowMajor::number(const std::int64_t* coordinates) const {
  std::int64_t number = 0;
  for (const Axis& axis : axes_) number = number * axis.size + coordinates[axis.index];
  return number;
}

void RowMajor::locate(std::int64_t number, std::int64_t* coordinates) const {
  for (auto axis = axes_.rbegin(); axis != axes_.rend(); ++axis) {
    coordinates[axis->index] = number % axis->size;
    number /= axis->size;
  }
}

}  // namespace mtfc
