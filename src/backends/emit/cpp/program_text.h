// One program as straight-line C++: values as slots, instructions as calls of the runtime.
#pragma once
#include <string>
#include <vector>

#include "backends/backend.h"
#include "ir/module.h"

namespace mtfc::backends {

struct ProgramText {
  std::string space;  // "train_2": a namespace with void run(Processor&), in the module's
  std::int64_t arena_bytes = 0;
  std::vector<EmittedFile> files;
};

/// `number` keeps names of several programs apart; `outer`: the module's namespace.
ProgramText program_text(const Module& module, const Program& program, int number,
                         const std::string& outer, const SourceMap& sources);

}  // namespace mtfc::backends
