#include "comm/message.h"

#include "kernels/copy.h"
#include "kernels/copy_bytes.h"

namespace mtfc::runtime::net {
namespace {

std::int64_t element_size(const ExchangeSpec& spec) {
  return static_cast<std::int64_t>(size_of(spec.dtype));
}

/// Dense blocks, of which a bucket may have thousands, without a plan for each. Steps in bytes.
struct DenseBlocks {
  std::int64_t count, bytes;

  void copy(const void* from, std::int64_t from_step, void* to, std::int64_t to_step) const {
    for (std::int64_t r = 0; r < count && bytes > 0; ++r)
      copy_bytes(static_cast<std::byte*>(to) + r * to_step,
                 static_cast<const std::byte*>(from) + r * from_step,
                 static_cast<std::size_t>(bytes));
  }
};

/// `step`: elements from a block to the next in the buffer.
void pack_one(Pool& pool, const ExchangeSpec& spec, const void* x, void* buffer,
              std::int64_t step) {
  const std::int64_t size = element_size(spec);
  if (source_blocks_dense(spec))
    return DenseBlocks{source_blocks(spec), block_elements(spec) * size}.copy(
        x, spec.source_step * size, buffer, step * size);
  const Call call{&x, &buffer, nullptr};
  copy(pool, pack(spec, step), &call, 1);
}

void unpack_one(Pool& pool, const ExchangeSpec& spec, const void* buffer, std::int64_t step,
                void* y) {
  const std::int64_t size = element_size(spec);
  if (result_blocks_dense(spec))
    return DenseBlocks{result_blocks(spec), block_elements(spec) * size}.copy(
        buffer, step * size, y, spec.result_step * size);
  const Call call{&buffer, &y, nullptr};
  copy(pool, unpack(spec, step), &call, 1);
}

}  // namespace

Message::Message(Pool& pool, const std::vector<ExchangeSpec>& bucket, const void* const* x,
                 void* const* y, std::byte* scratch)
    : pool_(pool), bucket_(bucket), scratch_(scratch) {
  if (bucket.size() > 1) several_ = packed(bucket);
  const bool sends = sends_in_place(bucket);
  receives_ = receives_in_place(bucket);
  const std::int64_t block = block_elements(spec());
  std::byte* buffer = sends ? nullptr : take(source_blocks(spec()) * block);
  from_ = sends ? static_cast<const std::byte*>(x[0]) : buffer;
  to_ = receives_ ? static_cast<std::byte*>(y[0]) : take(result_blocks(spec()) * block);
  for (std::size_t i = 0; i < bucket.size() && !sends; ++i) {
    pack_one(pool, bucket[i], x[i], buffer, block);
    buffer += block_elements(bucket[i]) * element_size(spec());
  }
}

void Message::unpack(void* const* y) const {
  const std::byte* buffer = to_;
  for (std::size_t i = 0; i < bucket_.size() && !receives_; ++i) {
    unpack_one(pool_, bucket_[i], buffer, block_elements(spec()), y[i]);
    buffer += block_elements(bucket_[i]) * element_size(spec());
  }
}

std::byte* Message::take(std::int64_t elements) {
  std::byte* buffer = scratch_;
  scratch_ += elements * element_size(spec());
  return buffer;
}

}  // namespace mtfc::runtime::net
