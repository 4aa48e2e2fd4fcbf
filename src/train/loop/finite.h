// Values that are not finite: NaN or infinite.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "train/engine.h"

namespace mtfc::runtime {

/// The first saved variable with such a value on any rank, as "state `avg` is not a number"; absent
/// if there is none. Called by all ranks, all of which get the same.
std::optional<std::string> find_not_finite(Engine& engine);

/// The same of what a step is fed with, as "input `x` is infinite".
std::optional<std::string> find_not_finite_input(const Feeds& feeds, net::Network& network);

/// "not a number" or "infinite": what a number is that is not finite.
const char* kind_of_not_finite(double value);

/// The first loss with such a value, as "the evaluation's loss `aux` is infinite", the total if it
/// is none of its parts; absent if there is none. `whose`: "the".
std::optional<std::string> find_not_finite_loss(const std::vector<Fetched>& fetched,
                                                const std::string& whose);

}  // namespace mtfc::runtime
