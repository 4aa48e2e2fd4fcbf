// How the processors of a mesh hold shards and exchange them: what a simulated mesh and a real rank
// do differently. Everything else of running a program is the executor's (executor.h).
//
// What a transport returns is prepared for fixed buffers, and may be called in every step without
// allocating. Buffers and the transport outlive it.
#pragma once
#include <functional>
#include <string>

#include "backends/execute/distinct_shards.h"
#include "bind/bind.h"
#include "kernels/pool.h"
#include "support/aligned_bytes.h"
#include "support/host_tensor.h"

namespace mtfc::backends {

/// The buffers that an instruction reads and writes.
struct InstructionBuffers {
  std::vector<Buffer> operands, results;
  std::byte* scratch = nullptr;
};

/// One bucket of collectives.
struct Collective {
  /// Runs it, or starts it if it is asynchronous. Returns the bytes that one processor sends.
  std::function<std::int64_t(runtime::Pool&)> run;
  /// Ends it if it is asynchronous.
  std::function<void()> wait;
};

/// From a tensor in host memory to a value, and back. A fetched value is not partial.
using FeedCopy = std::function<void(runtime::Pool&, const runtime::HostTensor&)>;
using FetchCopy = std::function<runtime::HostTensor(runtime::Pool&)>;

class Transport {
 public:
  virtual ~Transport() = default;
  /// The shards of values of this type that are in the memory of this process. Lives as long as the
  /// transport.
  virtual const DistinctShards& shards(const ShardType& type) = 0;

  /// For operands and results of collectives. Zeros that take memory where they are first used.
  virtual AlignedBytes allocate(std::int64_t bytes) { return AlignedBytes::lazy_zeros(bytes); }
  /// Bytes that a bucket needs in `scratch`.
  virtual std::int64_t scratch_bytes(const bind::Exchanges& bucket,
                                     const std::vector<Buffer>& operands) const = 0;
  virtual Collective collective(const bind::Exchanges& bucket,
                                const InstructionBuffers& buffers) = 0;
  /// Called after every instruction: asynchronous collectives continue.
  virtual void advance() {}

  /// `input`: its name, for messages.
  virtual FeedCopy feed(const std::string& input, const ShardType& type, const Buffer& to) = 0;
  virtual FetchCopy fetch(const ShardType& type, const Buffer& from) = 0;
};

}  // namespace mtfc::backends
