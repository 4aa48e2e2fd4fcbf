// A module on one transport: its memory, and an executable for each program, made at its first run,
// and once more after another program has needed a larger arena.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "backends/execute/executable.h"
#include "backends/execute/memory.h"
#include "train/engine.h"

namespace mtfc::backends {

class Executor {
 public:
  /// As of Memory.
  Executor(const Module& module, Transport& transport, const MemoryOptions& options = {})
      : memory_(module, transport, options) {}

  const Memory& memory() const { return memory_; }
  const Module& module() const { return memory_.module(); }
  /// There must be such a program. It is good until the next call.
  Executable& executable(std::string_view program);
  /// As of Observable.
  void prepare();
  /// As of Engine.
  void give_back_memory();
  /// Of the program's last run; nothing before the first, nor after its memory was given back.
  runtime::Counters counters(std::string_view program) const;

 private:
  Memory memory_;
  std::map<std::string, Executable, std::less<>> executables_;
};

/// The variables of a module as the training loop sees them.
std::vector<runtime::VariableInfo> variables_of(const Module& module);

}  // namespace mtfc::backends
