// Which bytes a cache still holds when an instruction needs them: a cache that drops what was not
// used for the longest time, over the buffers as they are planned. A byte is there if less than the
// cache holds was used since (its stack distance; Mattson, Gecsei, Slutz and Traiger, "Evaluation
// techniques for storage hierarchies", IBM Systems Journal 9, 1970).
#pragma once
#include <cstdint>
#include <list>
#include <map>
#include <vector>

#include "bind/bind.h"
#include "ir/module.h"

namespace mtfc::cost {

/// Byte by byte exact, but by ranges: what is used together stays together.
class Cache {
 public:
  explicit Cache(std::int64_t capacity) : capacity_(capacity) {}

  /// Uses the bytes from `begin` to before `end` in this order; returns how many were not there.
  std::int64_t use(std::int64_t begin, std::int64_t end);

 private:
  /// Bytes of which the first one was used before the others.
  struct Range {
    std::int64_t begin = 0, end = 0;
  };
  using Ranges = std::list<Range>;

  Ranges::iterator next_after(std::int64_t at);
  void take_out(Ranges::iterator range, std::int64_t begin, std::int64_t end);
  void put_in(std::int64_t begin, std::int64_t end);

  std::int64_t capacity_, held_ = 0;
  Ranges ranges_;                                  // the latest use first
  std::map<std::int64_t, Ranges::iterator> ends_;  // by end
};

/// Of each instruction, the bytes that a cache of `capacity` bytes does not hold: in a run of the
/// program behind an equal run. What an instruction needs of a large operand (a row of a table) is
/// taken for its beginning.
std::vector<double> far_bytes_of(const Module& module, const Program& program,
                                 const std::vector<bind::Bound>& bound, std::int64_t capacity);

}  // namespace mtfc::cost
