// Ranks compare what decides the numbers of a run, before the first step.
#pragma once
#include <string>

#include "comm/network.h"
#include "support/fact.h"
#include "support/result.h"

namespace mtfc::runtime::net {

/// A fact about many things together, which says little by itself: a digest of a program.
struct Summary {
  Fact fact;
  Facts causes;  // why it may differ; they may differ alone
};

/// The first fact that is not the same on all ranks, as the first rank with another one than rank 0
/// has it: "rank 1 on `node2`: `a.txt` is 3000 bytes, not 6000 bytes as on rank 0"; "" if ranks
/// agree. If only the summary differs, one of its causes is named that does, if there is any. The
/// same text on all ranks; every rank calls it.
std::string difference(Network& network, const Facts& facts, const Summary& summary = {});

/// The error for it.
Error differing_run(const std::string& difference);

}  // namespace mtfc::runtime::net
