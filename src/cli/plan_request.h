// What `mtfc plan` is asked for: the machine, the meshes, and what is kept.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/session.h"
#include "ir/layout.h"
#include "ir/model.h"
#include "predict/machine.h"

namespace mtfc::cli {

struct PlanRequest {
  /// Of each number of processors that is asked for, ascending, its meshes.
  std::vector<std::vector<Mesh>> meshes;
  int stages = 1;  // of a pipeline, at most
  predict::Machine machine;
  double memory = 0;       // bytes that a processor may hold
  Layout given;            // of --keep; without its mesh
  std::string given_text;  // as it was written
};

/// Nothing: reported; `status` says how to end.
std::optional<PlanRequest> plan_request(Session& session, const Model& model, int& status);

}  // namespace mtfc::cli
