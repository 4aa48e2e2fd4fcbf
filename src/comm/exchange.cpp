#include "comm/exchange.h"

#include "comm/block_collective.h"

namespace mtfc::runtime::net {
namespace {

/// One message, from a dense buffer to a dense buffer; run returns the elements sent to others.
class Exchange {
 public:
  Exchange(Groups& groups, Pool& pool, const Message& message)
      : groups_(groups),
        pool_(pool),
        message_(message),
        spec_(message.spec()),
        group_(groups.along(spec_.axes)),
        elements_(block_elements(spec_)),
        bytes_(elements_ * static_cast<std::int64_t>(size_of(spec_.dtype))) {}

  std::int64_t run() const {
    switch (spec_.kind) {
      case ExchangeSpec::Kind::all_reduce:
      case ExchangeSpec::Kind::reduce_scatter:
      case ExchangeSpec::Kind::all_gather:
      case ExchangeSpec::Kind::all_to_all:
        return blocks();
      case ExchangeSpec::Kind::permute:
        return permute();
    }
    return 0;
  }

 private:
  /// Started and waited for at once.
  std::int64_t blocks() const {
    BlockCollective collective(group_, group_.lists, pool_, spec_, false);
    collective.start(message_.from(), message_.to(), message_.scratch());
    collective.advance(true);
    return collective.sent();
  }

  std::int64_t permute() const {
    const int receiver = partner(spec_.held, spec_.wanted);
    const int sender = partner(spec_.wanted, spec_.held);
    group_.channel->send_receive(receiver, message_.from(), sender, message_.to(), bytes_);
    return receiver == group_.number ? 0 : elements_;
  }
  /// The member that is over `to` what this rank is over `from`.
  int partner(const std::vector<int>& from, const std::vector<int>& to) const {
    const std::vector<std::int64_t>& sizes = groups_.sizes();
    std::vector<std::int64_t> other(groups_.coordinates(), groups_.coordinates() + sizes.size());
    renumber(from, to, sizes, other.data());
    return static_cast<int>(group_.members.number(other.data()));
  }

  const Groups& groups_;
  Pool& pool_;
  const Message& message_;
  const ExchangeSpec& spec_;
  Group& group_;
  const std::int64_t elements_, bytes_;  // of a block
};

}  // namespace

std::int64_t exchange(Groups& groups, Pool& pool, const std::vector<ExchangeSpec>& bucket,
                      const void* const* x, void* const* y, void* scratch) {
  const Message message(pool, bucket, x, y, static_cast<std::byte*>(scratch));
  const std::int64_t sent = Exchange(groups, pool, message).run();
  message.unpack(y);
  return sent * static_cast<std::int64_t>(size_of(bucket[0].dtype));
}

}  // namespace mtfc::runtime::net
