#include "bind/arena.h"

#include <iterator>

#include "support/aligned_bytes.h"

namespace mtfc::bind {

std::int64_t Arena::take(std::int64_t bytes) {
  bytes = aligned(bytes);
  if (bytes == 0) return 0;
  for (auto hole = holes_.begin(); hole != holes_.end(); ++hole) {
    if (hole->second < bytes) continue;
    const auto [offset, room] = *hole;
    holes_.erase(hole);
    if (room > bytes) holes_.emplace(offset + bytes, room - bytes);
    return offset;
  }
  // A hole at the very end grows.
  std::int64_t offset = end_;
  if (!holes_.empty()) {
    const auto last = std::prev(holes_.end());
    if (last->first + last->second == end_) {
      offset = last->first;
      holes_.erase(last);
    }
  }
  end_ = offset + bytes;
  return offset;
}

void Arena::give_back(std::int64_t offset, std::int64_t bytes) {
  bytes = aligned(bytes);
  if (bytes == 0) return;
  auto next = holes_.lower_bound(offset);
  if (next != holes_.end() && offset + bytes == next->first) {
    bytes += next->second;
    next = holes_.erase(next);
  }
  if (next != holes_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == offset) {
      before->second += bytes;
      return;
    }
  }
  holes_.emplace(offset, bytes);
}

}  // namespace mtfc::bind
