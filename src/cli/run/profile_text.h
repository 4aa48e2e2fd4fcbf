// Where the time of a measured step goes, for people and as JSON (docs/trace.md).
#pragma once
#include <optional>
#include <string>

#include "predict/machine.h"
#include "trace/time_table.h"

namespace mtfc::cli {

/// `chip`: what `bench-hardware` measured here, if it did.
std::string time_table_text(const trace::TimeTable& table,
                            const std::optional<predict::Chip>& chip);
std::string time_table_json(const trace::TimeTable& table,
                            const std::optional<predict::Chip>& chip);

}  // namespace mtfc::cli
