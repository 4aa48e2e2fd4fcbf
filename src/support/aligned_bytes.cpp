#include "support/aligned_bytes.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

#include "support/machine_memory.h"
#include "support/shareable_memory.h"

namespace mtfc {
namespace {

std::atomic<std::int64_t> held{0};  // by all
std::atomic<int> processes{1};      // that hold as much

}  // namespace

AlignedBytes::AlignedBytes(std::int64_t size) : size_(size) {
  require(size);
  const std::int64_t room = std::max(aligned(size), kAlignment);
  void* data = std::aligned_alloc(kAlignment, static_cast<std::size_t>(room));
  if (data == nullptr) throw std::bad_alloc();
  data_ = {static_cast<std::byte*>(data), Free{size, Free::From::allocator}};
  held += size;
}

AlignedBytes AlignedBytes::zeros(std::int64_t size) {
  AlignedBytes made(size);
  std::memset(made.data(), 0, static_cast<std::size_t>(size));
  return made;
}

/// Of the system itself: an allocator may have memory that it must clear.
AlignedBytes AlignedBytes::lazy_zeros(std::int64_t size) {
  require(size);
  const auto room = static_cast<std::size_t>(std::max(size, kAlignment));
  void* data = ::mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) throw std::bad_alloc();
  AlignedBytes made;
  made.data_ = {static_cast<std::byte*>(data), Free{size, Free::From::system}};
  made.size_ = size;
  held += size;
  return made;
}

AlignedBytes AlignedBytes::shareable(std::int64_t size) {
  require(size);
  AlignedBytes made;
  made.data_ = {allocate_shareable(size), Free{size, Free::From::shareable}};
  made.size_ = size;
  held += size;
  return made;
}

void AlignedBytes::require(std::int64_t bytes) {
  const MachineMemory& memory = machine_memory();
  if (bytes > (memory.physical + memory.swap) / processes - held) throw std::bad_alloc();
}

void AlignedBytes::set_processes_alike(int count) { processes = count; }

void AlignedBytes::Free::operator()(std::byte* data) const {
  switch (from) {
    case From::allocator:
      std::free(data);
      break;
    case From::system:
      ::munmap(data, static_cast<std::size_t>(std::max(size, kAlignment)));
      break;
    case From::shareable:
      free_shareable(data);
      break;
  }
  held -= size;
}

}  // namespace mtfc
