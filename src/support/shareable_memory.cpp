#include "support/shareable_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <new>

namespace mtfc {
namespace {

struct Region {
  std::int64_t file, inode, bytes;
};

/// All of this process, by where they begin.
struct Regions {
  std::mutex mutex;
  std::map<std::byte*, Region> at;
};
Regions& regions() {
  static Regions all;
  return all;
}

/// -1 if it is not the memory with this inode.
int open_memory(std::int64_t process, std::int64_t file, std::int64_t inode) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%lld/fd/%lld", static_cast<long long>(process),
                static_cast<long long>(file));
  const int opened = ::open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat found {};
  if (opened >= 0 && ::fstat(opened, &found) == 0 &&
      static_cast<std::int64_t>(found.st_ino) == inode)
    return opened;
  if (opened >= 0) ::close(opened);
  return -1;
}

std::byte* map_shared(int file, std::int64_t bytes) {
  void* memory =
      ::mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

}  // namespace

std::byte* allocate_shareable(std::int64_t bytes) {
  bytes = std::max<std::int64_t>(bytes, 1);
  const int file = ::memfd_create("mtfc", MFD_CLOEXEC);
  struct stat made {};
  std::byte* memory = nullptr;
  if (file >= 0 && ::ftruncate(file, bytes) == 0 && ::fstat(file, &made) == 0)
    memory = map_shared(file, bytes);
  if (memory == nullptr) {
    if (file >= 0) ::close(file);
    throw std::bad_alloc();
  }
  Regions& all = regions();
  const std::lock_guard lock(all.mutex);
  all.at[memory] = {file, static_cast<std::int64_t>(made.st_ino), bytes};
  return memory;
}

void free_shareable(std::byte* memory) {
  Regions& all = regions();
  const std::lock_guard lock(all.mutex);
  const auto found = all.at.find(memory);
  ::munmap(memory, static_cast<std::size_t>(found->second.bytes));
  ::close(static_cast<int>(found->second.file));
  all.at.erase(found);
}

MemoryReference reference_to(const void* address) {
  auto* byte = const_cast<std::byte*>(static_cast<const std::byte*>(address));
  Regions& all = regions();
  const std::lock_guard lock(all.mutex);
  const auto next = all.at.upper_bound(byte);
  if (next == all.at.begin()) return {};
  const auto& [begin, region] = *std::prev(next);
  if (byte - begin >= region.bytes) return {};
  return {::getpid(), region.file, region.inode, region.bytes, byte - begin};
}

namespace {

/// Where memory of this process begins; null if it has ended.
std::byte* own_memory(std::int64_t file, std::int64_t inode) {
  Regions& all = regions();
  const std::lock_guard lock(all.mutex);
  for (const auto& [begin, region] : all.at)
    if (region.file == file && region.inode == inode) return begin;
  return nullptr;
}

}  // namespace

std::byte* PeerMemory::at(const MemoryReference& reference) {
  const auto& [process, file, inode, bytes, offset] = reference;
  if (process == 0 || offset < 0 || offset >= bytes) return nullptr;
  if (process == ::getpid()) {
    std::byte* own = own_memory(file, inode);
    return own == nullptr ? nullptr : own + offset;
  }
  const Key key{process, file, inode};
  if (const auto found = mappings_.find(key); found != mappings_.end())
    return found->second.memory + offset;
  const int opened = open_memory(process, file, inode);
  if (opened < 0) return nullptr;
  std::byte* memory = map_shared(opened, bytes);
  ::close(opened);
  if (memory == nullptr) return nullptr;
  mappings_[key] = {memory, static_cast<std::size_t>(bytes)};
  return memory + offset;
}

void PeerMemory::clear() {
  for (const auto& [key, mapping] : mappings_) ::munmap(mapping.memory, mapping.bytes);
  mappings_.clear();
}

}  // namespace mtfc
