#include "comm/exchange.h"
#include "support/check.h"

namespace mtfc::runtime::net {

std::int64_t Begun::begin(Groups& groups, Pool& pool, const std::vector<ExchangeSpec>& bucket,
                          const void* const* x, void* const* y) {
  MTFC_CHECK(!sum_, "a sum is begun twice");
  groups_ = &groups;
  room_ = groups.take_room(bucket_scratch(bucket));
  results_.assign(y, y + bucket.size());
  message_.emplace(pool, bucket, x, y, room_.data());
  Group& group = groups.along_twice(message_->spec().axes);
  lists_.resize(static_cast<std::size_t>(group.size));
  sum_.emplace(group, lists_, pool, message_->spec(), true);
  sum_->begin(message_->from(), message_->to(), message_->scratch());
  groups.begin(*this);
  return sum_->sent() * static_cast<std::int64_t>(size_of(bucket[0].dtype));
}

void Begun::finish() {
  if (sum_) groups_->finish(*this);
}

Underway::State Begun::advance(bool wait) {
  const State state = sum_->advance(wait);
  if (state == State::ended) {
    message_->unpack(results_.data());
    groups_->give_room(std::move(room_));
    sum_.reset();
  }
  return state;
}

}  // namespace mtfc::runtime::net
