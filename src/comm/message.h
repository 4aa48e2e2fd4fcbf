// The tensors of a bucket as one message: an exchange between two dense buffers.
#pragma once
#include <cstddef>
#include <optional>

#include "comm/exchange_spec.h"
#include "kernels/pool.h"

namespace mtfc::runtime::net {

class Message {
 public:
  /// Packs the operands x. A single tensor whose blocks are adjacent is sent from where it is, and
  /// received where it goes. `bucket` outlives the message, y its transfer; scratch:
  /// bucket_scratch(bucket) bytes.
  Message(Pool& pool, const std::vector<ExchangeSpec>& bucket, const void* const* x, void* const* y,
          std::byte* scratch);
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  /// Of all tensors together: their blocks are adjacent in from() and to().
  const ExchangeSpec& spec() const { return several_ ? *several_ : bucket_[0]; }
  const std::byte* from() const { return from_; }
  std::byte* to() const { return to_; }
  /// The rest of it.
  std::byte* scratch() const { return scratch_; }
  /// Copies what has arrived to the results.
  void unpack(void* const* y) const;

 private:
  std::byte* take(std::int64_t elements);

  Pool& pool_;
  const std::vector<ExchangeSpec>& bucket_;
  std::optional<ExchangeSpec> several_;
  const std::byte* from_;
  std::byte *to_, *scratch_;
  bool receives_;  // in place
};

}  // namespace mtfc::runtime::net
