// The two kinds of lines of a training log.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "train/engine.h"

namespace mtfc::runtime {

/// The value fetched as (kind, name); null if there is none.
const HostTensor* find_fetched(const std::vector<Fetched>& fetched, std::string_view kind,
                               std::string_view name);

/// {"step":1,"loss":2.31,"seconds":0.012}, with "losses" where there are several, and what else the
/// step reports ("lr", "grad_norm"). `step` counts the steps done. `skipped`: it
/// changed nothing.
std::string step_line(std::int64_t step, const std::vector<Fetched>& fetched, double seconds,
                      bool skipped = false);

/// {"step":250,"eval_loss":1.9,"metrics":{"accuracy":0.4}}
std::string eval_line(std::int64_t step, const std::vector<Fetched>& fetched);

}  // namespace mtfc::runtime
