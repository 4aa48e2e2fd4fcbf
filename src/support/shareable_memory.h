// Memory that other processes of this machine can map. It has no name: a process says where it lies
// as plain numbers, and another one finds it under /proc/PROCESS/fd (memfd_create(2), proc(5)),
// which the system allows to processes of one user that see each other.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>

namespace mtfc {

/// An address in the shareable memory of some process; `process` 0: in none.
struct MemoryReference {
  std::int64_t process = 0;
  std::int64_t file = 0, inode = 0;  // the descriptor there, and what must be behind it
  std::int64_t bytes = 0;            // of the whole memory
  std::int64_t offset = 0;           // of the address in it
};

/// At least `bytes` zeros that begin on a page. Throws std::bad_alloc.
std::byte* allocate_shareable(std::int64_t bytes);
void free_shareable(std::byte* memory);
MemoryReference reference_to(const void* address);

/// What this process has mapped of the memory of others.
class PeerMemory {
 public:
  PeerMemory() = default;
  PeerMemory(const PeerMemory&) = delete;
  PeerMemory& operator=(const PeerMemory&) = delete;
  ~PeerMemory() { clear(); }

  /// The address here, until clear(); null if it cannot be mapped. In memory of this process the
  /// address itself.
  std::byte* at(const MemoryReference& reference);
  /// So that what others have given back since does not stay.
  void clear();

 private:
  struct Mapping {
    std::byte* memory;
    std::size_t bytes;
  };
  using Key = std::array<std::int64_t, 3>;  // process, file, inode

  std::map<Key, Mapping> mappings_;
};

}  // namespace mtfc
