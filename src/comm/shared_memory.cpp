#include "comm/shared_memory.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <random>
#include <vector>

#include "support/environment.h"
#include "support/host_name.h"

namespace mtfc::runtime::net {
namespace {

/// A word that others must find where this process says it is: a process of the same number in
/// another container is not this one. And its machine, which is not asked for another one's memory.
struct Probe {
  MemoryReference reference;
  std::uint64_t word = 0;
  char host[64] = "";
};

bool is_limited(__rlimit_resource resource) {
  rlimit limit{};
  return ::getrlimit(resource, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}

/// Without a reference if this process shares nothing.
Probe make_probe() {
  if (environment("MTFC_SHARED_MEMORY") == "off" || is_limited(RLIMIT_AS) ||
      is_limited(RLIMIT_FSIZE))
    return {};
  try {
    std::byte* memory = allocate_shareable(sizeof(Probe::word));  // as long as the process lives
    std::random_device random;
    Probe probe{reference_to(memory), random() | std::uint64_t{random()} << 32};
    std::memcpy(memory, &probe.word, sizeof probe.word);
    host_name().copy(probe.host, sizeof probe.host - 1);
    return probe;
  } catch (const std::bad_alloc&) {
    return {};
  }
}

const Probe& own_probe() {
  static const Probe probe = make_probe();
  return probe;
}

bool finds(PeerMemory& peers, const Probe& probe, const Probe& mine) {
  if (std::strcmp(probe.host, mine.host) != 0) return false;
  const std::byte* there = peers.at(probe.reference);
  return there != nullptr && std::memcmp(there, &probe.word, sizeof probe.word) == 0;
}

}  // namespace

bool allocates_shareable(const Network& network) {
  return network.ranks_here() > 1 && own_probe().reference.process != 0;
}

bool share_memory(const Network& network, Channel& channel, PeerMemory& peers) {
  if (channel.size() == 1) return false;
  const Probe mine = allocates_shareable(network) ? own_probe() : Probe();
  const auto members = static_cast<std::size_t>(channel.size());
  std::vector<Probe> probes(members);
  channel.all_gather(&mine, probes.data(), sizeof mine);
  const char found = std::all_of(probes.begin(), probes.end(),
                                 [&](const Probe& probe) { return finds(peers, probe, mine); });
  std::vector<char> all(members);
  channel.all_gather(&found, all.data(), sizeof found);
  return std::all_of(all.begin(), all.end(), [](char one) { return one != 0; });
}

}  // namespace mtfc::runtime::net
