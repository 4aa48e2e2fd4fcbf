// Aligned offsets in one arena: takes the lowest hole that fits, gives holes back.
#pragma once
#include <cstdint>
#include <map>

namespace mtfc::bind {

class Arena {
 public:
  std::int64_t take(std::int64_t bytes);
  void give_back(std::int64_t offset, std::int64_t bytes);
  /// The most that was ever in use.
  std::int64_t bytes() const { return end_; }

 private:
  std::map<std::int64_t, std::int64_t> holes_;  // offset -> bytes, never adjacent
  std::int64_t end_ = 0;
};

}  // namespace mtfc::bind
