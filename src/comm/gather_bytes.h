// What ranks exchange beside tensors: rarely, and of any length.
#pragma once
#include <string>
#include <vector>

#include "comm/network.h"
#include "support/result.h"

namespace mtfc::runtime::net {

/// Texts as one, each with its length before it; and apart again.
std::string joined(const std::vector<std::string>& texts);
std::vector<std::string> parted(const std::string& all);

/// The text of every rank, by rank. Every rank calls it.
std::vector<std::string> gather(Network& network, const std::string& mine);

/// The failure of the lowest rank that has one, on all ranks; success if none has. It names the
/// rank and its host if other ranks did not fail; not where ranks are threads, nor if not
/// `all_tried` what one of them did. Every rank calls it: before ranks wait for each other, all
/// must know which of them failed.
Status agreed(Network& network, const Status& mine, bool all_tried = true);

}  // namespace mtfc::runtime::net
