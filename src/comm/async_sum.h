// A sum or an all_gather between real ranks whose data travels while they compute.
#pragma once
#include <optional>

#include "comm/block_collective.h"
#include "comm/message.h"

namespace mtfc::runtime::net {

/// A bucket of all_reduces, reduce_scatters or all_gathers that is started now and waited for
/// later. Its operands, results and specs must stay as they are until then. Can be started again
/// afterwards.
class AsyncSum final : public AsyncCollective {
 public:
  /// Returns the bytes that go to other ranks.
  std::int64_t start(Groups& groups, Pool& pool, const std::vector<ExchangeSpec>& bucket,
                     const void* const* x, void* const* y);
  void wait();
  State advance(bool wait) override;

 private:
  Groups* groups_ = nullptr;
  std::optional<Message> message_;
  std::optional<BlockCollective> collective_;  // between start and its end
  bool started_ = false;                       // and not yet waited for
  Lists lists_;
  std::size_t buffer_ = 0;  // number, from start to wait
  std::vector<void*> results_;
};

}  // namespace mtfc::runtime::net
