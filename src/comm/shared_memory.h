// Whether ranks reach each other's memory: those of one machine do, unless the system or
// MTFC_SHARED_MEMORY=off keeps them from it.
#pragma once
#include "comm/network.h"
#include "support/shareable_memory.h"

namespace mtfc::runtime::net {

/// Whether this rank allocates what collectives move so that others can map it: there are others on
/// its machine, the system gives such memory, and no limit is set on address space or on the size
/// of files, as which it counts.
bool allocates_shareable(const Network& network);

/// Whether all members do, and each can map what every other one allocates. All members call it,
/// and get the same answer.
bool share_memory(const Network& network, Channel& channel, PeerMemory& peers);

}  // namespace mtfc::runtime::net
