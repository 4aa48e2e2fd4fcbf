// The models that a plan asks for: with micro-batches, and with fewer iterations of what is
// repeated.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "cli/session/session.h"
#include "plan/price/models.h"

namespace mtfc::cli {

/// `model`: that of the command line. Both outlive the result.
plan::Models models_of(Session& session, const Model& model);

/// Numbers of micro-batches that a plan tries.
struct TriedMicrobatches {
  std::vector<std::int64_t> counts;  // ascending
  bool barred = false;               // the model cannot have further ones with the same results
};
/// What the model or the command line says; else 1 and the powers of two that divide the batch, as
/// far as it can have them. `models`: of `model`.
TriedMicrobatches microbatches_of(const plan::Models& models, const Model& model);

}  // namespace mtfc::cli
