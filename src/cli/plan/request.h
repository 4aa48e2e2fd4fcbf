// What `mtfc plan` is asked for: the machine, the meshes, and what is kept.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/session/session.h"
#include "ir/layout.h"
#include "ir/model.h"
#include "plan/price/models.h"
#include "plan/space/choice.h"
#include "predict/machine.h"

namespace mtfc::cli {

struct PlanRequest {
  /// Of a number of processors its meshes; with a pipeline that is kept those of a stage, of which
  /// there is one if stages have meshes that differ: with the largest size of each axis.
  struct Size {
    std::int64_t processors = 1;
    std::vector<Mesh> meshes;
  };
  std::vector<Size> sizes;                 // those that are asked for, ascending
  int stages = 1;                          // of a pipeline that is to be found, at most
  std::optional<plan::Pipeline> pipeline;  // that is kept
  predict::Machine machine;
  double memory = 0;       // bytes that a processor may hold
  Layout given;            // of --keep; without its mesh
  std::string given_text;  // as it was written
};

/// Nothing: reported; `status` says how to end.
std::optional<PlanRequest> plan_request(Session& session, const Model& model,
                                        const plan::Models& models, int& status);
/// The meshes of so many processors, or of a stage of the pipeline that is kept; none if its stages
/// do not divide them.
std::vector<Mesh> meshes_for(const PlanRequest& request, std::int64_t processors, int axes);

}  // namespace mtfc::cli
