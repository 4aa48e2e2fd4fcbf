#include "comm/message_buffers.h"

#include <catch2/catch.hpp>

namespace comm_message_buffers_test {

using mtfc::runtime::BufferSizes;
using mtfc::runtime::MessageBuffers;

TEST_CASE("a message gets the smallest free buffer that is large enough, else the largest grows") {
  BufferSizes sizes;
  const std::size_t a = sizes.take(100), b = sizes.take(300), c = sizes.take(200);
  CHECK(sizes.total() == 600);
  for (const std::size_t each : {a, b, c}) sizes.give_back(each);
  CHECK(sizes.take(150) == c);
  CHECK(sizes.take(150) == b);
  CHECK(sizes.take(150) == a);  // what is left grows
  CHECK(sizes.total() == 650);
  sizes.give_back(a);
  sizes.give_back(b);
  CHECK(sizes.take(400) == b);  // nothing is large enough: the larger one
  CHECK(sizes.total() == 750);
  CHECK(sizes.take(0) == a);
  CHECK(sizes.take(10) == 3);
}

TEST_CASE("buffers of messages have the memory that their sizes say, and do not move") {
  MessageBuffers buffers([](std::int64_t bytes) { return mtfc::AlignedBytes(bytes); });
  const std::size_t a = buffers.take(64);
  std::byte* const at = buffers.at(a);
  at[63] = std::byte{7};
  const std::size_t b = buffers.take(1000);
  buffers.at(b)[999] = std::byte{8};
  CHECK(buffers.at(a) == at);
  CHECK(buffers.at(a)[63] == std::byte{7});
  buffers.give_back(a);
  CHECK(buffers.take(60) == a);
  CHECK(buffers.at(a) == at);
  buffers.give_back(a);
  CHECK(buffers.take(5000) == a);
  buffers.at(a)[4999] = std::byte{9};
  CHECK(buffers.bytes() == 6000);
}

}  // namespace comm_message_buffers_test
