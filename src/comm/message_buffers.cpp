#include "comm/message_buffers.h"

namespace mtfc::runtime {

std::size_t BufferSizes::take(std::int64_t bytes) {
  const std::size_t none = buffers_.size();
  std::size_t best = none;
  const auto fits = [&](std::size_t i) { return buffers_[i].bytes >= bytes; };
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (!buffers_[i].free) continue;
    const bool better = best == none || (fits(i) != fits(best) ? fits(i)
                                         : fits(i) ? buffers_[i].bytes < buffers_[best].bytes
                                                   : buffers_[i].bytes > buffers_[best].bytes);
    if (better) best = i;
  }
  if (best == none) buffers_.emplace_back();
  if (!fits(best)) buffers_[best].bytes = bytes;
  buffers_[best].free = false;
  return best;
}

std::int64_t BufferSizes::total() const {
  std::int64_t sum = 0;
  for (const Buffer& buffer : buffers_) sum += buffer.bytes;
  return sum;
}

std::size_t MessageBuffers::take(std::int64_t bytes) {
  const std::size_t number = sizes_.take(bytes);
  if (number >= memory_.size()) memory_.resize(number + 1);
  AlignedBytes& memory = memory_[number];
  if (memory.size() < sizes_.bytes(number)) {
    memory = {};  // before there is a larger one
    memory = allocate_(sizes_.bytes(number));
  }
  return number;
}

}  // namespace mtfc::runtime
