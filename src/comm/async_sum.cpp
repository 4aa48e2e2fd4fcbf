#include "comm/async_sum.h"

#include "support/check.h"

namespace mtfc::runtime::net {

std::int64_t AsyncSum::start(Groups& groups, Pool& pool, const std::vector<ExchangeSpec>& bucket,
                             const void* const* x, void* const* y) {
  MTFC_CHECK(!sum_, "a sum is started twice");
  groups_ = &groups;
  buffer_ = groups.take_buffer(bucket_scratch(bucket));
  results_.assign(y, y + bucket.size());
  message_.emplace(pool, bucket, x, y, buffer_.data());
  Group& group = groups.along_async(message_->spec().axes);
  lists_.resize(static_cast<std::size_t>(group.size));
  sum_.emplace(group, lists_, pool, message_->spec(), true);
  sum_->start(message_->from(), message_->to(), message_->scratch());
  groups.start(*this);
  return sum_->sent() * static_cast<std::int64_t>(size_of(bucket[0].dtype));
}

void AsyncSum::wait() {
  if (sum_) groups_->wait(*this);
}

AsyncCollective::State AsyncSum::advance(bool wait) {
  const State state = sum_->advance(wait);
  if (state == State::ended) {
    message_->unpack(results_.data());
    groups_->return_buffer(std::move(buffer_));
    sum_.reset();
  }
  return state;
}

}  // namespace mtfc::runtime::net
