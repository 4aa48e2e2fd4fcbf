// train, eval: the operation of the model in which values that are not finite began.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "cli/run/execution.h"
#include "cli/session/compile.h"
#include "lowering/state/request.h"

namespace mtfc::cli {

class NotFiniteSearch {
 public:
  /// What is referred to outlives it. `execution`: the run's, of programs that were made by
  /// `request`.
  NotFiniteSearch(Session& session, const Compiled& compiled, const lowering::Request& request,
                  Execution& execution)
      : session_(session), compiled_(compiled), execution_(execution), request_(request) {
    request_.apart = true;
  }

  /// Runs these from the variables of the execution with each operation by itself, which takes
  /// memory of its own. Where there is none, and in 16 bits, of which operations that are computed
  /// together round less often: as the run does, from where it is. Every rank calls it.
  void run(const std::function<void(runtime::Engine&)>& programs);
  struct Found {
    std::vector<Label> labels;  // the operation first; empty: it was not found
    std::string advice;         // what to do about it; empty: that cannot be said
  };
  /// The same on all ranks.
  const Found& found() const { return found_; }

 private:
  using Begin = std::optional<backends::NotFiniteBegin>;
  /// False: there is no memory for it.
  bool run_apart(const std::function<void(runtime::Engine&)>& programs, Begin& begin);
  std::optional<Execution> apart();

  Session& session_;
  const Compiled& compiled_;
  Execution& execution_;
  lowering::Request request_;
  Found found_;
};

}  // namespace mtfc::cli
