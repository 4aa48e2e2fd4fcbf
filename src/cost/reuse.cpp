#include "cost/reuse.h"

#include <algorithm>

#include "cost/live_buffers.h"
#include "cost/moved_bytes.h"

namespace mtfc::cost {

/// The range that holds `at` or lies next behind it.
Cache::Ranges::iterator Cache::next_after(std::int64_t at) {
  const auto found = ends_.upper_bound(at);
  return found == ends_.end() ? ranges_.end() : found->second;
}

/// What is left of the range on both sides stays where it is.
void Cache::take_out(Ranges::iterator range, std::int64_t begin, std::int64_t end) {
  const Range whole = *range;
  ends_.erase(whole.end);
  if (end < whole.end)
    ends_[whole.end] = ranges_.insert(range, {end, whole.end});  // used later: before the others
  if (whole.begin < begin) ends_[begin] = ranges_.insert(range, {whole.begin, begin});
  ranges_.erase(range);
  held_ -= end - begin;
}

void Cache::put_in(std::int64_t begin, std::int64_t end) {
  held_ += end - begin;
  const auto last = ranges_.begin();
  if (last != ranges_.end() && last->end == begin) {
    ends_.erase(begin);
    last->end = end;
  } else {
    ranges_.push_front({begin, end});
  }
  ends_[end] = ranges_.begin();
  while (held_ > capacity_) {
    const auto oldest = std::prev(ranges_.end());
    take_out(oldest, oldest->begin, std::min(oldest->end, oldest->begin + (held_ - capacity_)));
  }
}

std::int64_t Cache::use(std::int64_t begin, std::int64_t end) {
  std::int64_t missing = 0;
  while (begin < end) {
    const auto range = next_after(begin);
    const std::int64_t there = range == ranges_.end() ? end : std::clamp(range->begin, begin, end);
    if (begin < there) {  // a gap; what it drops may be what comes next
      put_in(begin, there);
      missing += there - begin;
      begin = there;
      continue;
    }
    const std::int64_t until = std::min(end, range->end);
    take_out(range, begin, until);
    put_in(begin, until);
    begin = until;
  }
  return missing;
}

namespace {

/// Variables one behind the other, then the arena: all memory of a processor as one line.
class Addresses {
 public:
  Addresses(const Module& module, const Program& program, const std::vector<bind::Bound>& bound)
      : plan_(plan_of_rank(module, program, bound)) {
    for (const ModuleVariable& variable : module.variables) {
      variables_.push_back(arena_);
      arena_ += allocated_bytes(module, variable.type);
    }
  }
  /// -1: nowhere.
  std::int64_t of(ValueId id) const {
    const bind::BufferLocation& at = plan_.values[id.at()];
    switch (at.kind) {
      case bind::BufferLocation::Kind::none:
        return -1;
      case bind::BufferLocation::Kind::arena:
        return arena_ + at.offset;
      case bind::BufferLocation::Kind::variable:
        return variables_[static_cast<std::size_t>(at.variable)];
    }
    return -1;
  }

 private:
  bind::Plan plan_;
  std::vector<std::int64_t> variables_;
  std::int64_t arena_ = 0;
};

/// Operands one after the other, then results.
std::int64_t use_all(Cache& cache, const Addresses& addresses, const Module& module,
                     const Program& program, std::size_t i, const bind::Bound& bound) {
  const Instruction& at = program.instructions[i];
  const ShardTypes in = types_of(program, at.operands), out = types_of(program, at.results);
  const std::vector<double> bytes = moved_bytes({module.dims, module.mesh, in, out}, bound);
  std::vector<ValueId> values = at.operands;
  values.insert(values.end(), at.results.begin(), at.results.end());
  std::int64_t missing = 0;
  for (std::size_t v = 0; v < values.size(); ++v)
    if (const std::int64_t begin = addresses.of(values[v]); begin >= 0)
      missing += cache.use(begin, begin + static_cast<std::int64_t>(bytes[v]));
  return missing;
}

}  // namespace

std::vector<double> far_bytes_of(const Module& module, const Program& program,
                                 const std::vector<bind::Bound>& bound, std::int64_t capacity) {
  const Addresses addresses(module, program, bound);
  Cache cache(capacity);
  std::vector<double> far(bound.size(), 0);
  for (const bool warm : {false, true})
    for (std::size_t i = 0; i < bound.size(); ++i) {
      if (is_alias(bound[i])) continue;
      const std::int64_t missing = use_all(cache, addresses, module, program, i, bound[i]);
      if (warm) far[i] = static_cast<double>(missing);
    }
  return far;
}

}  // namespace mtfc::cost
