// One sum between real processors. Everybody adds one part of the elements, in ascending order of
// the processors, and of an all_reduce sends its part's sum to everybody: two transfers with an
// addition between, one where everybody needs one part only, or is sent everything.
#pragma once
#include "comm/exchange_spec.h"
#include "comm/groups.h"
#include "kernels/pool.h"

namespace mtfc::runtime::net {

class Sum {
 public:
  /// spec: an all_reduce, or a reduce_scatter whose blocks stand one after the other. `later`: its
  /// transfers are only begun, the second one on the group's second channel. What is given here
  /// outlives it.
  Sum(Group& group, Lists& lists, Pool& pool, const ExchangeSpec& spec, bool later)
      : group_(group), lists_(lists), pool_(pool), spec_(spec), later_(later) {}

  /// x: the operand, y: the result, scratch: what bucket_scratch has for sums.
  void begin(const std::byte* x, std::byte* y, std::byte* scratch);
  /// Goes on as far as it can; with `wait` to the end.
  Underway::State advance(bool wait);
  /// Elements that go to other ranks.
  std::int64_t sent() const { return sent_; }

 private:
  bool begin_by_library(const std::byte* x);
  void swap_parts(const std::byte* x);
  void add_up();

  std::int64_t size() const { return static_cast<std::int64_t>(size_of(spec_.dtype)); }
  Channel& first() const { return *group_.channel; }
  Channel& second() const { return later_ ? *group_.second : *group_.channel; }
  Transfer* later() { return later_ ? &transfer_ : nullptr; }

  Group& group_;
  Lists& lists_;
  Pool& pool_;
  const ExchangeSpec& spec_;
  const bool later_;
  Underway::State state_ = Underway::State::ended;
  Transfer transfer_;
  std::byte *received_ = nullptr, *total_ = nullptr;
  const std::byte* own_ = nullptr;  // one's own part, if the others' parts alone are received
  std::byte* part_ = nullptr;       // its sum, in the result, if it goes to everybody
  std::int64_t mine_ = 0, sent_ = 0;
};

}  // namespace mtfc::runtime::net
