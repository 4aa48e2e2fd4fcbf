// The stages of a pipeline: what is dealt out to them, and which of them computes what.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/layout.h"
#include "ir/model.h"

namespace mtfc::lowering {

/// The graph that stages are cut out of: of one micro-batch where there are some.
const Graph& cut_graph(const Model& model);

/// By stage, as even as they go: the first ones have one more.
std::vector<std::int64_t> even_blocks(std::int64_t blocks, std::int64_t stages);
/// With chunks, micro-batches go through the stages in rounds of one for each stage.
inline bool can_interleave(int stages, std::int64_t microbatches) {
  return microbatches % stages == 0;
}

/// Every block instance of what is cut apart and those around it, in the order in which the model
/// comes to them.
std::vector<std::string> block_instances(const Model& model);
/// Those that globs match, without what is nested in one that they match: what is dealt out.
std::vector<std::string> blocks_matching(const std::vector<std::string>& globs, const Model& model);

/// What says an operation's virtual stage. `operands`: those of its operands, -1 where that is not
/// known.
using GivenStage =
    std::function<std::optional<int>(const Operation& op, const std::vector<int>& operands)>;

/// By operation: its virtual stage. One of which none is given is in the latest of its operands;
/// one that nothing reaches from a stage, in the first that uses it, -1 if none does.
std::vector<int> stages_of(const Graph& graph, const GivenStage& given);
/// The same by blocks alone.
std::vector<int> stages_of(const Graph& graph, const Stages& stages);

/// By the path of a variable that the graph reads: the first of the virtual stages that do.
std::map<std::string, int> first_readers(const Graph& graph, const std::vector<int>& stage);

/// By the path of a variable: the stage that it lives in, that of the first virtual stage that
/// reads it in training.
std::map<std::string, int> homes_of(const Model& model, const Stages& stages);

}  // namespace mtfc::lowering
