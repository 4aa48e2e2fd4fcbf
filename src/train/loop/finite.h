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

/// What a step has led to.
struct StepOutcome {
  bool bad_loss = false;                // its loss is not finite, on any rank
  std::optional<std::string> variable;  // as find_not_finite says it
  bool is_finite() const { return !bad_loss && !variable; }
};
/// `fetched`: by the step. Called by all ranks, all of which get the same.
StepOutcome outcome_of_step(Engine& engine, const std::vector<Fetched>& fetched);

/// The loss that is minimised; 0 if it was not fetched.
double loss_of(const std::vector<Fetched>& fetched);
/// Whether the step changed nothing because a gradient was not finite under its loss scale.
bool skipped_by_loss_scale(const std::vector<Fetched>& fetched);

/// The same of what a step is fed with, as "input `x` is infinite".
std::optional<std::string> find_not_finite_input(const Feeds& feeds, net::Network& network);

/// "not a number" or "infinite": what a number is that is not finite.
const char* kind_of_not_finite(double value);

/// The first loss with such a value, as "the evaluation's loss `aux` is infinite", the total if it
/// is none of its parts; absent if there is none. `whose`: "the".
std::optional<std::string> find_not_finite_loss(const std::vector<Fetched>& fetched,
                                                const std::string& whose);

}  // namespace mtfc::runtime
