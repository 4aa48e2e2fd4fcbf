// What ranks tell each other beside tensors: rarely, and of any length.
#pragma once
#include <string>
#include <vector>

#include "comm/network.h"
#include "support/result.h"

namespace mtfc::runtime::net {

/// Everybody's text, by rank. Every rank calls it.
std::vector<std::string> gather(Network& network, const std::string& mine);

/// The failure of the lowest rank that has one, on all ranks; well if none has. Every rank calls
/// it: what one rank cannot do, all of them must know before they wait for it.
Status agreed(Network& network, const Status& mine);

}  // namespace mtfc::runtime::net
