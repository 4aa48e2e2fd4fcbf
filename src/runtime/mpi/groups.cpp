#include "runtime/mpi/groups.h"

#include <algorithm>
#include <limits>

#include "support/check.h"

namespace mtfc::runtime::mpi {

Groups::Groups(std::vector<std::int64_t> sizes) : sizes_(std::move(sizes)) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  coordinates_.assign(sizes_.size() + 1, 0);
  std::int64_t rest = rank;
  for (std::size_t i = sizes_.size(); i-- > 0;) {
    coordinates_[i] = rest % sizes_[i];
    rest /= sizes_[i];
  }
}

Groups::~Groups() {
  for (auto& [axes, group] : groups_) MPI_Comm_free(&group->comm);
}

Group& Groups::along(const std::vector<int>& axes) {
  std::unique_ptr<Group>& group = groups_[axes];
  if (group) return *group;
  group = std::make_unique<Group>();
  // The colour is the place on the other axes, the order in the group the place on these.
  std::int64_t colour = 0, order = 0;
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    const bool inside = std::find(axes.begin(), axes.end(), static_cast<int>(i)) != axes.end();
    std::int64_t& number = inside ? order : colour;
    number = number * sizes_[i] + coordinates_[i];
  }
  MPI_Comm_split(MPI_COMM_WORLD, static_cast<int>(colour), static_cast<int>(order), &group->comm);
  MPI_Comm_size(group->comm, &group->size);
  MPI_Comm_rank(group->comm, &group->number);
  const auto size = static_cast<std::size_t>(group->size);
  for (auto* room :
       {&group->send_counts, &group->send_places, &group->receive_counts, &group->receive_places})
    room->resize(size);
  group->sources.resize(size);
  return *group;
}

void Groups::coordinates_of(const std::vector<int>& axes, int member,
                            std::int64_t* coordinates) const {
  std::copy(coordinates_.begin(), coordinates_.end(), coordinates);
  std::int64_t rest = member;
  for (std::size_t i = axes.size(); i-- > 0;) {
    const auto axis = static_cast<std::size_t>(axes[i]);
    coordinates[axis] = rest % sizes_[axis];
    rest /= sizes_[axis];
  }
}

MPI_Datatype datatype(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return MPI_FLOAT;
    case DType::f64:
      return MPI_DOUBLE;
    case DType::f16:
    case DType::bf16:
      return MPI_UINT16_T;
    case DType::i32:
      return MPI_INT32_T;
    case DType::boolean:
      return MPI_UINT8_T;
  }
  return MPI_BYTE;
}

int count_of(std::int64_t elements) {
  MTFC_CHECK(elements <= std::numeric_limits<int>::max(), "a message of more than 2^31 elements");
  return static_cast<int>(elements);
}

}  // namespace mtfc::runtime::mpi
