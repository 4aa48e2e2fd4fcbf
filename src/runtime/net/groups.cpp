#include "runtime/net/groups.h"

#include <algorithm>
#include <limits>

#include "support/check.h"

namespace mtfc::runtime::net {

Groups::Groups(Network& network, std::vector<std::int64_t> sizes)
    : network_(network), sizes_(std::move(sizes)) {
  coordinates_.assign(sizes_.size() + 1, 0);
  std::int64_t rest = network.rank();
  for (std::size_t i = sizes_.size(); i-- > 0;) {
    coordinates_[i] = rest % sizes_[i];
    rest /= sizes_[i];
  }
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
  group->channel = network_.split(static_cast<int>(colour), static_cast<int>(order));
  group->size = group->channel->size();
  group->number = group->channel->number();
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

int count_of(std::int64_t elements) {
  MTFC_CHECK(elements <= std::numeric_limits<int>::max(), "a message of more than 2^31 elements");
  return static_cast<int>(elements);
}

}  // namespace mtfc::runtime::net
