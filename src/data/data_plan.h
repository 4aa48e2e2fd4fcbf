// What is fed to a run, as plain values: nothing is opened by making them.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sources/source_spec.h"
#include "support/dtype.h"

namespace mtfc::runtime {

enum class Split { train, eval };

/// `input tok[batch=12, length=64]: int from text.window`. The first dimension numbers examples.
struct InputSpec {
  std::string name;
  DType dtype = DType::f32;
  std::vector<std::int64_t> extents;  // global
  std::vector<std::string> dims;      // names of the same dimensions, for messages
  std::string source, field;          // field may be empty if the source has one only
  std::int64_t ids = 0;               // int inputs used as places along a dimension: its size
  std::string ids_dim;                //   and its name. 0: not checked
};

/// What is fed to a run, and for how long; `steps` or `epochs` is > 0 if it trains.
struct DataPlan {
  std::vector<SourceSpec> sources;
  std::vector<InputSpec> inputs;
  std::int64_t evaluation_microbatches = 1;  // an evaluation takes a batch in so many parts
  std::int64_t steps = 0;
  double epochs = 0;
  std::int64_t seed = 0;  // of the run: it orders training examples
};

}  // namespace mtfc::runtime
