// What an emitted program says about itself, as plain data.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/net/sharded.h"
#include "runtime/spec.h"

namespace mtfc::runtime {

class Processor;

struct EmittedVariable {
  std::string path;
  std::string kind;               // as in VariableInfo
  std::vector<std::string> dims;  // names
  net::ShardedTensor tensor;
};

struct EmittedProgram {
  std::string name;
  std::int64_t arena_bytes = 0;
  void (*run)(Processor& p) = nullptr;
};

struct EmittedAxis {
  std::string name;
  std::int64_t size = 1;
};

struct EmittedModule {
  std::string model;
  std::vector<EmittedAxis> mesh;  // the last axis is the fastest
  std::vector<EmittedVariable> variables;
  std::vector<EmittedProgram> programs;

  std::int64_t processors() const;
};

}  // namespace mtfc::runtime
