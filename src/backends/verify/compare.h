// How far apart two outcomes of one section are, and how far rounding may bring them.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "backends/verify/section.h"
#include "support/not_finite.h"

namespace mtfc::backends {

struct Difference {
  enum class Kind { loss, gradient, variable, value };  // metrics count as losses
  Kind kind{};
  std::string name;     // "loss", "grad.w", "w"; of an evaluation "eval loss"
  double absolute = 0;  // max |a - b|; infinite where one alone is not finite or not there
  double relative = 0;  // of max |b|, or of the largest of its kind times `noise`
  double overall = 0;   // ||a - b|| / ||b||, of all elements; infinite where `absolute` is
  double allowed = 0;   // of `absolute`: what rounding explains
  NotFinite both = NotFinite::none;  // the worst that both have at the same places, which is equal
  bool must_be_finite = false;       // a loss, a parameter or a state: training stops at one
  bool exceeds() const { return !(absolute <= allowed); }
};

/// What is so much smaller than the largest gradient or parameter is shown as nothing.
inline constexpr double noise = 1e-6;

/// What one engine, which is right, makes of a section.
struct Expected {
  Section section;
  Variables before;  // empty in the section that makes the first values
  Outcome outcome;   // from these
  /// The same from variables and data that were changed at random by some hundred roundings. By how
  /// much it changes a result says how far roundings may bring that, whatever their order.
  std::optional<Outcome> disturbed = {};
};

/// Runs the section again, disturbed, on an engine whose narrowest type rounds by `unit`; leaves it
/// where the section ended. Called by all ranks.
runtime::Status disturb(runtime::Engine& engine, const runtime::TrainPlan& plan, double unit,
                        Expected& expected);

/// Losses, metrics, gradients, variables and named values, in the order in which they were made. A
/// gradient or a named value that the outcome lacks is left out.
std::vector<Difference> compare(const Expected& expected, const Outcome& outcome, double unit);

/// Keeps of each name the difference that exceeds what is allowed most, and the worst of `both`.
void merge(std::vector<Difference>& all, const std::vector<Difference>& more);

}  // namespace mtfc::backends
