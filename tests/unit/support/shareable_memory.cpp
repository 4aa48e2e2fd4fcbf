// What one process allocates shareable, another one finds where it is told.
#include "support/shareable_memory.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>

#include "support/aligned_bytes.h"

namespace support_shareable_memory_test {

using namespace mtfc;

namespace {

/// Whether what(peers) holds in a process of its own.
template <class What>
bool in_another_process(What what) {
  const pid_t child = ::fork();
  if (child == 0) {
    PeerMemory peers;
    ::_exit(what(peers) ? 0 : 1);
  }
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

TEST_CASE("another process reads and writes shareable memory") {
  const AlignedBytes memory = AlignedBytes::shareable(10000);
  CHECK(reinterpret_cast<std::uintptr_t>(memory.data()) % AlignedBytes::kAlignment == 0);
  CHECK(memory.data()[9999] == std::byte{0});
  memory.data()[5000] = std::byte{7};
  const MemoryReference begin = reference_to(memory.data()),
                        middle = reference_to(memory.data() + 5000);
  CHECK(middle.offset == 5000);
  CHECK(in_another_process([&](PeerMemory& peers) {
    std::byte* there = peers.at(middle);
    if (there == nullptr || there == memory.data() + 5000 || *there != std::byte{7}) return false;
    there[1] = std::byte{8};
    return peers.at(begin) == there - 5000;  // mapped once
  }));
  CHECK(memory.data()[5001] == std::byte{8});
}

TEST_CASE("what is in no shareable memory is not found") {
  const AlignedBytes own(1000);
  CHECK(reference_to(own.data()).process == 0);
  PeerMemory peers;
  CHECK(peers.at({}) == nullptr);

  const AlignedBytes memory = AlignedBytes::shareable(1000);
  MemoryReference other = reference_to(memory.data());
  CHECK(peers.at(other) != nullptr);
  CHECK(reference_to(memory.data() + 1000).process == 0);
  other.offset = 1000;
  CHECK(peers.at(other) == nullptr);
  other.offset = 0;
  ++other.inode;  // another file under the same number
  CHECK(peers.at(other) == nullptr);
  other.process = 1 << 30;
  CHECK(peers.at(other) == nullptr);
}

TEST_CASE(
    "what a process refers to in its own memory is there itself, as long as it is allocated") {
  AlignedBytes memory = AlignedBytes::shareable(1000);
  const MemoryReference before = reference_to(memory.data() + 7);
  PeerMemory peers;
  CHECK(peers.at(before) == memory.data() + 7);
  memory = {};
  CHECK(peers.at(before) == nullptr);
  memory = AlignedBytes::shareable(1000);
  CHECK(reference_to(memory.data()).file == before.file);
  CHECK(peers.at(before) == nullptr);
}

TEST_CASE(
    "memory that has ended stays until mappings are cleared, and what takes its number is "
    "another") {
  AlignedBytes memory = AlignedBytes::shareable(1000);
  const MemoryReference begin = reference_to(memory.data());
  int to_child[2], to_parent[2];
  REQUIRE((::pipe(to_child) == 0 && ::pipe(to_parent) == 0));
  const pid_t child = ::fork();
  if (child == 0) {
    PeerMemory peers;
    char word = peers.at(begin) != nullptr ? 1 : 0;
    bool right =
        ::write(to_parent[1], &word, 1) == 1 && word == 1 && ::read(to_child[0], &word, 1) == 1;
    right = right && peers.at(begin) != nullptr;
    peers.clear();
    ::_exit(right && peers.at(begin) == nullptr ? 0 : 1);
  }
  char word = 0;
  CHECK((::read(to_parent[0], &word, 1) == 1 && word == 1));
  memory = {};
  memory = AlignedBytes::shareable(1000);
  CHECK(reference_to(memory.data()).file == begin.file);
  CHECK(::write(to_child[1], &word, 1) == 1);
  int status = 0;
  CHECK((::waitpid(child, &status, 0) == child && status == 0));
  for (const int end : {to_child[0], to_child[1], to_parent[0], to_parent[1]}) ::close(end);
}

}  // namespace support_shareable_memory_test
