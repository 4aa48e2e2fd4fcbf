// Which memory asynchronous collectives travel in. A rank keeps its buffers from step to step and
// gives them out again; which one a collective gets depends on sizes alone, in the order in which
// collectives are started and waited for, so that what is predicted (cost/peak.h) is what a rank
// takes.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "support/aligned_bytes.h"

namespace mtfc::runtime {

/// Without the memory itself: sizes by number.
class BufferSizes {
 public:
  /// The smallest free one that is large enough; else the largest free one, which grows; else a new
  /// one.
  std::size_t take(std::int64_t bytes);
  void give_back(std::size_t number) { buffers_[number].free = true; }
  std::int64_t bytes(std::size_t number) const { return buffers_[number].bytes; }
  /// Of all, free or not.
  std::int64_t total() const;

 private:
  struct Buffer {
    std::int64_t bytes = 0;
    bool free = false;
  };
  std::vector<Buffer> buffers_;
};

class MessageBuffers {
 public:
  using Allocate = std::function<AlignedBytes(std::int64_t bytes)>;
  explicit MessageBuffers(Allocate allocate) : allocate_(std::move(allocate)) {}

  /// What is in it is undefined; it stays where it is until it is given back.
  std::size_t take(std::int64_t bytes);
  std::byte* at(std::size_t number) const { return memory_[number].data(); }
  void give_back(std::size_t number) { sizes_.give_back(number); }
  std::int64_t bytes() const { return sizes_.total(); }

 private:
  Allocate allocate_;
  BufferSizes sizes_;
  std::vector<AlignedBytes> memory_;
};

}  // namespace mtfc::runtime
