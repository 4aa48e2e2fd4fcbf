// The time of a training step on a machine: a roofline for each instruction, alpha-beta formulas
// for collectives, and what is started early beside what is computed meanwhile.
#pragma once
#include <vector>

#include "cost/cost.h"
#include "predict/mapping.h"

namespace mtfc::predict {

/// Seconds of one processor; all do the same. The five parts of `step` add up to it.
struct Prediction {
  double step = 0;
  double products = 0;  // bound by what the chip computes
  double others = 0;    // everything else that computes, bound by that
  double memory = 0;    // products and others that memory bounds
  double launches = 0;  // those that are shorter than a kernel takes at least
  double exposed = 0;   // communication that is waited for
  double hidden = 0;    // communication beside computation
  /// Seconds that products would take at the chip's peak: all, and those of a model that neither
  /// recomputes nor does the same on several processors.
  double peak_all = 0, peak_model = 0;
  cost::MostMemory memory_needed = {};
  double memory_there = 0;  // bytes of one processor
  /// Of each collective of the cost, in its order: how long the network carries it, and what of
  /// that (and of those before it) is waited for.
  struct Carried {
    double seconds = 0, exposed = 0;
  };
  std::vector<Carried> collectives;

  /// Utilisation, of hardware and by the model (Chowdhery et al., arXiv 2204.02311, appendix B).
  double hfu() const { return step > 0 ? peak_all / step : 0; }
  double mfu() const { return step > 0 ? peak_model / step : 0; }
  bool fits() const { return static_cast<double>(memory_needed.bytes) <= memory_there; }
};

Prediction predict(const cost::Cost& cost, const Machine& machine, const Mapping& mapping);

/// What a program of one processor adds to its `peak_model`.
double model_seconds(const cost::ProgramWork& program, const Chip& chip);

}  // namespace mtfc::predict
