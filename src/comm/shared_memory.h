// Whether ranks reach each other's memory: those of one machine do, unless the system or
// MTFC_SHARED_MEMORY=off keeps them from it.
#pragma once
#include "comm/network.h"
#include "support/shareable_memory.h"

namespace mtfc::runtime::net {

/// Whether each member can map what every other one allocates shareable. All members call it, and
/// get the same answer.
bool share_memory(Channel& channel, PeerMemory& peers);

}  // namespace mtfc::runtime::net
