// What runs the programs of a module: the simulated mesh, or, under mpirun, this rank.
#pragma once
#include <memory>
#include <string>

#include "cli/session.h"
#include "ir/module.h"
#include "runtime/engine.h"

namespace mtfc::cli {

class Machine {
 public:
  /// Absent: told; the command ends with `status`.
  static std::optional<Machine> make(Session& session, Module module, int& status);

  runtime::Engine& engine() { return *engine_; }
  const Module& module() const;
  const Mesh& mesh() const { return module().mesh; }
  /// --replicas all: the first instruction whose replicas differed, or "".
  std::string replica_error() const;
  /// "mesh rows=2, cols=2", with "4 ranks, Open MPI v4.1.4" under mpirun
  std::string text() const;

 private:
  std::unique_ptr<runtime::Engine> engine_;
  std::string ranks_;
};

}  // namespace mtfc::cli
