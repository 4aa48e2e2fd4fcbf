#include "comm/groups.h"

#include <algorithm>
#include <limits>

#include "comm/shared_memory.h"
#include "support/check.h"

namespace mtfc::runtime::net {

void Lists::resize(std::size_t members) {
  for (auto* list : {&send_counts, &send_offsets, &receive_counts, &receive_offsets})
    list->resize(members);
  tensors.resize(members);
}

Groups::Groups(Network& network, std::vector<std::int64_t> sizes)
    : network_(network),
      sizes_(std::move(sizes)),
      buffers_([this](std::int64_t bytes) { return allocate(bytes); }) {
  coordinates_.assign(sizes_.size() + 1, 0);
  RowMajor(sizes_).locate(network.rank(), coordinates_.data());
}

Group& Groups::along(const std::vector<int>& axes) {
  std::unique_ptr<Group>& group = groups_[axes];
  if (group) return *group;
  group = std::make_unique<Group>(RowMajor(sizes_, axes));
  group->channel = channel_along(axes);
  group->size = group->channel->size();
  group->number = group->channel->number();
  group->lists.resize(static_cast<std::size_t>(group->size));
  group->sources.resize(static_cast<std::size_t>(group->size));
  group->results.resize(static_cast<std::size_t>(group->size));
  if (share_memory(network_, *group->channel, peers_)) group->shared = &peers_;
  return *group;
}

Group& Groups::along_async(const std::vector<int>& axes) {
  Group& group = along(axes);
  if (!group.second) group.second = channel_along(axes);
  return group;
}

std::unique_ptr<Channel> Groups::channel_along(const std::vector<int>& axes) {
  // Members of a group agree on all other axes.
  std::vector<int> others;
  for (int axis = 0; axis < static_cast<int>(sizes_.size()); ++axis)
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) others.push_back(axis);
  const std::int64_t colour = RowMajor(sizes_, others).number(coordinates());
  const std::int64_t order = RowMajor(sizes_, axes).number(coordinates());
  return network_.split(static_cast<int>(colour), static_cast<int>(order));
}

AlignedBytes Groups::allocate(std::int64_t bytes) {
  // All ranks are about to replace what they had.
  peers_.clear();
  return allocates_shareable(network_) ? AlignedBytes::shareable(bytes)
                                       : AlignedBytes::lazy_zeros(bytes);
}

void Groups::advance() {
  for (std::size_t i = 0; i < started_.size();) {
    const AsyncCollective::State state = started_[i]->advance(false);
    if (state == AsyncCollective::State::first) return;
    if (state == AsyncCollective::State::ended)
      started_.erase(started_.begin() + static_cast<std::ptrdiff_t>(i));
    else
      ++i;
  }
}

void Groups::wait(AsyncCollective& collective) {
  for (auto at = started_.begin(); at != started_.end(); at = started_.erase(at)) {
    (*at)->advance(true);
    if (*at != &collective) continue;
    started_.erase(at);
    return;
  }
}

int count_of(std::int64_t elements) {
  MTFC_CHECK(elements <= std::numeric_limits<int>::max(), "a message of more than 2^31 elements");
  return static_cast<int>(elements);
}

}  // namespace mtfc::runtime::net
