// A pipeline: a module for each stage, what crosses between their programs, and the schedule.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "pipeline/schedule.h"
#include "support/special_members.h"

namespace mtfc {

/// What one stage computes of a program without waiting for another: itself a program, in the
/// module of its stage.
struct StagePart {
  enum class Pass { forward, backward, other };
  std::string name;     // "accumulate.f0"
  std::string program;  // whose part it is: "accumulate"
  int stage = 0;
  Pass pass = Pass::other;  // of a micro-batch; `other`: of what is no pass over micro-batches
  int chunk = 0;            // of its stage, of a pass

  int virtual_stage(const pipeline::Shape& shape) const { return chunk * shape.stages + stage; }
};

/// "forward", "backward", "other"
std::string_view name(StagePart::Pass pass);

/// A value that one part makes and others use. It is a variable of every stage that has one of
/// them: sent where the stages differ, kept where they do not.
struct Crossing {
  std::string variable;  // its path
  int from = 0;          // index into the parts
  std::vector<int> to;   // ascending
  /// Made of variables that a step's micro-batches leave alone: sent with the first of them, and
  /// kept for the others.
  bool steady = false;
};

struct StageCut {
  const StagePart& part(std::string_view name) const;  // there must be one
  std::vector<StagePart> parts;  // those of one program in an order in which they can run
  std::vector<Crossing> crossings;
  std::vector<std::string> outputs = {};  // losses and metrics, in the order of the model
};

struct PipelineModule {
  MTFC_DECLARE_SPECIAL_MEMBERS(PipelineModule, noexcept);
  /// Each with its parts as programs and, as `step`, those of a training step.
  std::vector<Module> stages;
  StageCut cut;
  pipeline::Shape shape;               // stages as above
  std::vector<StepProgram> step;       // of whole programs
  std::vector<std::string> variables;  // all but what crosses, in the order of the model

  /// All stages do; otherwise each was lowered on its own.
  bool has_one_mesh() const;
  /// The parts of a program, as indices.
  std::vector<int> parts_of(std::string_view program) const;
  /// Of the module of a part's stage.
  const Module& module_of(const StagePart& part) const {
    return stages[static_cast<std::size_t>(part.stage)];
  }
};

}  // namespace mtfc
