// What `mtfc why` is asked about: a line or a tensor, and the collectives that belong to it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cost/cost.h"
#include "cost/line_shards.h"
#include "cost/stage_lines.h"
#include "ir/model.h"

namespace mtfc::cli {

struct WhyTarget {
  std::string source;  // of a line: "models/gpt.mtf:14"
  std::string name;    // of a tensor, as LineShard has it; else empty
  std::vector<cost::LineShard::Instance> instances = {};
  std::vector<std::string> views_of = {};  // of a tensor that is a view: what of

  bool has(const cost::LineShard& shard) const;
  /// Of a line its collectives, and those of the library that it calls; of a tensor those that move
  /// it or its gradient, or for it what it is a view of.
  bool has(const cost::CollectiveCost& collective) const;
  /// Of a pipeline those that have the line, or make the tensor; else none.
  std::vector<int> stages(const cost::LineStages& of_lines) const;
};

/// `text`: "14" (of the model), "nn.mtf:19", "layers.0.attn.q". Absent: there is no such thing
/// among these; `known` becomes what there is.
std::optional<WhyTarget> find_target(const std::string& text, const Model& model,
                                     const std::string& model_path, const cost::Cost& cost,
                                     const std::vector<cost::LineShard>& shards,
                                     std::vector<std::string>& known);
/// What to try in the place of a text that names nothing; `known` as find_target left it.
std::string help_without_target(const std::string& text, const Model& model,
                                const std::vector<std::string>& known);

}  // namespace mtfc::cli
