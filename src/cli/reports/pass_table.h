// What `mtfc cost --passes` prints.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/layout.h"
#include "ir/model.h"

namespace mtfc::cli {

/// How many collectives there are after a pass over programs, and what they move and send, on a
/// processor in a step. Of a pipeline, on a processor of each stage together.
struct PassRow {
  std::string pass;  // empty: before the first one, for each operation by itself
  std::size_t collectives = 0;
  std::optional<std::int64_t> moved;  // bytes
  double sent = 0;
};
std::vector<PassRow> pass_rows(const SourceMap& sources, const Model& model,
                               const Assignment& assignment);

std::string pass_table(const std::vector<PassRow>& rows);
std::string pass_json(const std::vector<PassRow>& rows);

}  // namespace mtfc::cli
