// Seconds that one instruction takes on a chip, when nothing else runs.
#pragma once
#include "cost/work.h"
#include "predict/machine.h"

namespace mtfc::predict {

struct KernelTime {
  double computing = 0, memory = 0;

  /// The longest of computing, moving and launching; of the others what is not beside it.
  double seconds(const Chip& chip) const;
};

/// Of a product or of anything else that computes: a roofline, and what kernels take besides where
/// the chip's description and the work say it (docs/hardware.md).
KernelTime kernel_time(const cost::Work& work, const Chip& chip);

/// What shards of the work take together at least: whatever a cache holds, however tasks divide
/// among threads, and whichever way kernels compute a shard.
double least_seconds(const cost::Work& work, const Chip& chip);

/// What a collective's message takes to be made and taken apart.
double message_seconds(const cost::Work& work, const Chip& chip);

/// How much longer the thread with the most tasks has to work than if all had as many.
double imbalance(const cost::KernelWork& kernel, const KernelCosts& costs);

}  // namespace mtfc::predict
