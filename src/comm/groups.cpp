#include "comm/groups.h"

#include <algorithm>
#include <limits>

#include "support/check.h"

namespace mtfc::runtime::net {

void Lists::resize(std::size_t members) {
  for (auto* list : {&send_counts, &send_places, &receive_counts, &receive_places})
    list->resize(members);
}

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
  group->channel = channel_along(axes);
  group->size = group->channel->size();
  group->number = group->channel->number();
  group->lists.resize(static_cast<std::size_t>(group->size));
  group->sources.resize(static_cast<std::size_t>(group->size));
  return *group;
}

Group& Groups::along_twice(const std::vector<int>& axes) {
  Group& group = along(axes);
  if (!group.second) group.second = channel_along(axes);
  return group;
}

std::unique_ptr<Channel> Groups::channel_along(const std::vector<int>& axes) {
  // The colour is the place on the other axes, the order in the group the place on these.
  std::int64_t colour = 0, order = 0;
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    const bool inside = std::find(axes.begin(), axes.end(), static_cast<int>(i)) != axes.end();
    std::int64_t& number = inside ? order : colour;
    number = number * sizes_[i] + coordinates_[i];
  }
  return network_.split(static_cast<int>(colour), static_cast<int>(order));
}

std::vector<std::byte> Groups::take_room(std::int64_t bytes) {
  std::vector<std::byte> room;
  if (!rooms_.empty()) {
    room = std::move(rooms_.back());
    rooms_.pop_back();
  }
  if (room.size() < static_cast<std::size_t>(bytes)) room.resize(static_cast<std::size_t>(bytes));
  return room;
}

void Groups::advance() {
  for (std::size_t i = 0; i < underway_.size();) {
    const Underway::State state = underway_[i]->advance(false);
    if (state == Underway::State::first) return;
    if (state == Underway::State::ended)
      underway_.erase(underway_.begin() + static_cast<std::ptrdiff_t>(i));
    else
      ++i;
  }
}

void Groups::finish(Underway& collective) {
  for (auto at = underway_.begin(); at != underway_.end(); at = underway_.erase(at)) {
    (*at)->advance(true);
    if (*at != &collective) continue;
    underway_.erase(at);
    return;
  }
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
