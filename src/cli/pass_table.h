// What `mtfc cost --passes` prints.
#pragma once
#include <string>

#include "ir/layout.h"
#include "ir/model.h"

namespace mtfc::cli {

/// A row for each pass over programs: how many collectives there are after it, and what they move
/// and send, on a processor in a step. Of a pipeline, on a processor of each stage together.
std::string pass_table(const SourceMap& sources, const Model& model, const Assignment& assignment);

}  // namespace mtfc::cli
