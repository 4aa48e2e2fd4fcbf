// Does an input fit what a source has? Messages that name the -D that fits.
#pragma once
#include <string>
#include <vector>

#include "data/data_plan.h"
#include "support/result.h"

namespace mtfc::runtime {

/// "label[batch=64]"
std::string shape_text(const InputSpec& input);

/// The input's dimensions after the first must be the record's.
Status check_record(const InputSpec& input, const std::vector<std::int64_t>& record);
/// At least one batch to train on must be there; to evaluate, examples may be fewer.
Status check_batch(const InputSpec& input, Split split, std::int64_t available);
/// Ids 0 .. count - 1 must be places along the input's ids dimension. `what`: "distinct
/// characters".
Status check_ids(const InputSpec& input, std::int64_t count, const std::string& what);

/// What to do about a header whose cells other characters than commas separate; nothing if none do.
std::vector<std::string> advice_on_separators(const std::vector<std::string>& header);
Error unknown_field(const InputSpec& input, const std::vector<std::string>& fields);
Error wrong_type(const InputSpec& input, const std::string& has);

}  // namespace mtfc::runtime
