// What runs the programs of a module: the simulated mesh, or, under mpirun, this rank.
#pragma once
#include <memory>
#include <string>

#include "backends/execute/module_engine.h"
#include "cli/session.h"

namespace mtfc::cli {

class Machine {
 public:
  /// Absent: told; the command ends with `status`.
  static std::optional<Machine> make(Session& session, Module module, int& status);

  runtime::Engine& engine() { return *engine_; }
  const Module& module() const { return engine_->module(); }
  const Mesh& mesh() const { return module().mesh; }
  /// --replicas all: the first instruction whose replicas differed, or "".
  std::string replica_error() const { return engine_->replica_error(); }
  /// "mesh rows=2, cols=2", with "4 ranks, Open MPI v4.1.4" under mpirun
  std::string text() const;

 private:
  std::unique_ptr<backends::ModuleEngine> engine_;
  std::string ranks_;
};

}  // namespace mtfc::cli
