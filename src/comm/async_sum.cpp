#include "comm/async_sum.h"

#include "support/check.h"

namespace mtfc::runtime::net {

std::int64_t AsyncSum::start(Groups& groups, Pool& pool, const std::vector<ExchangeSpec>& bucket,
                             const void* const* x, void* const* y) {
  MTFC_CHECK(!started_, "a sum is started twice");
  groups_ = &groups;
  buffer_ = groups.buffers().take(bucket_scratch(bucket));
  started_ = true;
  results_.assign(y, y + bucket.size());
  message_.emplace(pool, bucket, x, y, groups.buffers().at(buffer_));
  Group& group = groups.along_async(message_->spec().axes);
  lists_.resize(static_cast<std::size_t>(group.size));
  collective_.emplace(group, lists_, pool, message_->spec(), true);
  collective_->start(message_->from(), message_->to(), message_->scratch());
  groups.start(*this);
  return collective_->sent() * static_cast<std::int64_t>(size_of(bucket[0].dtype));
}

void AsyncSum::wait() {
  if (collective_) groups_->wait(*this);
  // Not when it arrived: then it would depend on time how many buffers there are.
  if (started_) groups_->buffers().give_back(buffer_);
  started_ = false;
}

AsyncCollective::State AsyncSum::advance(bool wait) {
  const State state = collective_->advance(wait);
  if (state == State::ended) {
    message_->unpack(results_.data());
    collective_.reset();
  }
  return state;
}

}  // namespace mtfc::runtime::net
