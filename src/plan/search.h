// The layout of a space with the least predicted step time that fits in memory, and the proof that
// there is none better: every legal layout was predicted, or cannot be faster than one that was.
#pragma once
#include <functional>
#include <optional>

#include "plan/space.h"
#include "predict/predict.h"

namespace mtfc::plan {

/// A layout that was compiled and predicted.
struct Judged {
  Choice choice;
  double step = 0;    // seconds
  double bound = 0;   // no way to keep its parameters makes it faster: time of its products
  double memory = 0;  // bytes of one processor
  bool fits = false;
};

struct Plan {
  std::optional<Judged> best;      // the fastest that fits
  std::optional<Judged> smallest;  // the one that takes the least memory
  std::vector<Judged> judged;      // in the order of the search
  std::vector<Choice> excluded;    // not predicted: its bound is not below `best`
  std::vector<double> bounds;      // of these
  std::size_t illegal = 0;         // ways to keep parameters that clash
  std::size_t open = 0;            // neither predicted nor excluded when time was up
  double bound = 0;                // no layout of the space takes less
  bool is_proved() const { return open == 0; }
};

struct Limits {
  double memory = 0;   // bytes of one processor
  double seconds = 0;  // of search
};

/// What the layout of a choice costs on the machine; nothing if it is not legal, or the mesh does
/// not fit on the machine.
std::optional<Judged> judge(const Choice& choice, const Model& model, const SourceMap& sources,
                            const predict::Machine& machine, double memory);

Plan search(const Space& space, const Model& model, const SourceMap& sources,
            const predict::Machine& machine, const Limits& limits);

}  // namespace mtfc::plan
