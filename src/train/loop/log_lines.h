// The two kinds of lines of a training log.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "support/json.h"
#include "train/engine.h"

namespace mtfc::runtime {

/// The value fetched as (kind, name); null if there is none.
const HostTensor* find_fetched(const std::vector<Fetched>& fetched, std::string_view kind,
                               std::string_view name);

/// "loss", the total, and "losses", each by its name, if there are any; behind `prefix`.
void add_losses(JsonLine& line, const std::string& prefix, const std::vector<Fetched>& fetched);
/// "metrics", by name.
void add_metrics(JsonLine& line, const std::vector<Fetched>& fetched);

/// {"step":1,"loss":2.31,"seconds":0.012}, with "losses" where there are several, and what else the
/// step reports ("lr", "grad_norm"). `step` counts the steps done. `skipped`: it
/// changed nothing.
std::string step_line(std::int64_t step, const std::vector<Fetched>& fetched, double seconds,
                      bool skipped = false);

/// {"step":250,"eval_loss":1.9,"metrics":{"accuracy":0.4}}
std::string eval_line(std::int64_t step, const std::vector<Fetched>& fetched);

}  // namespace mtfc::runtime
