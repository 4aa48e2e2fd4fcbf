// The memory of a module on one transport, and its programs ready to run: the variables, an arena
// that all programs share, and an executable for each program, made at its first run.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "backends/execute/executable.h"
#include "backends/execute/transport.h"
#include "ir/module.h"
#include "support/aligned_bytes.h"
#include "train/engine.h"

namespace mtfc::backends {

class Executor {
 public:
  /// Both outlive it. in_place: a result may be computed in the buffer of an operand; off where
  /// results are overwritten before they are computed (replicas.h).
  Executor(const Module& module, Transport& transport, bool in_place = true);
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  const Module& module() const { return module_; }
  Transport& transport() const { return transport_; }
  Context context() const { return {module_.dims, module_.mesh}; }
  bool in_place() const { return in_place_; }

  /// There must be such a program.
  Executable& executable(std::string_view program);
  /// Of the program's last run; nothing before the first.
  runtime::Counters counters(std::string_view program) const;

  /// Of variable number `number` of the module.
  const Buffer& variable(std::size_t number) const { return variables_[number].buffer; }

  // --- For executables
  /// The buffer of a value of this type, without an address yet.
  Buffer shape(const ShardType& type) const;
  /// Memory of at least this size. Nothing in it outlives a run, so all programs share it.
  std::byte* arena(std::int64_t bytes);

 private:
  struct Variable {
    AlignedBytes bytes;
    Buffer buffer;
  };

  const Module& module_;
  Transport& transport_;
  const bool in_place_;
  std::vector<Variable> variables_;
  std::vector<AlignedBytes>
      arenas_;  // each larger than the one before; executables point into them
  std::map<std::string, Executable, std::less<>> executables_;
};

/// The variables of a module as the training loop sees them.
std::vector<runtime::VariableInfo> variables_of(const Module& module);

}  // namespace mtfc::backends
