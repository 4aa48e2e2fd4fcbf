// train, eval: the operation of the model in which values that are not finite began.
#pragma once
#include <functional>
#include <vector>

#include "cli/execution.h"
#include "lowering/state/request.h"

namespace mtfc::cli {

class NotFiniteSearch {
 public:
  /// What is referred to outlives it. `request`: as the programs of the run were made by.
  NotFiniteSearch(Session& session, const Model& model, const Assignment& assignment,
                  const lowering::Request& request)
      : session_(session), model_(model), assignment_(assignment), request_(request) {
    request_.apart = true;
  }

  /// Runs it from the variables of `engine` in other memory, each operation by itself. Every rank
  /// calls it.
  void run(runtime::Engine& engine, const std::function<void(runtime::Engine&)>& programs);
  /// What was found, the operation first; empty: it was not found, or memory is too small. The same
  /// on all ranks.
  const std::vector<Label>& labels() const { return labels_; }

 private:
  void search(runtime::Engine& engine, const std::function<void(runtime::Engine&)>& programs);
  std::optional<Execution> make(runtime::Engine& engine);

  Session& session_;
  const Model& model_;
  const Assignment& assignment_;
  lowering::Request request_;
  std::vector<Label> labels_;
};

}  // namespace mtfc::cli
