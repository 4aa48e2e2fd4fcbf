// What an emitted program says about itself, as plain data.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/spec.h"

namespace mtfc::runtime {

class Processor;

/// A whole tensor and the part of it that one processor holds.
struct EmittedTensor {
  DType dtype{};
  std::vector<std::int64_t> extents;        // whole
  std::vector<std::int64_t> shard_extents;  // on one processor
  CopySpec slice, assemble;                 // whole to shard, shard to whole
  std::vector<int> varying;                 // axes on which shards differ, ascending
  std::vector<int> partial;                 // those of them over which the shards are combined
  ReduceKind combine{};

  std::int64_t shard_bytes() const;
};

struct EmittedVariable {
  std::string path;
  EmittedTensor tensor;
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
