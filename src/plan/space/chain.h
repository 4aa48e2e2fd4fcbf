// What a pipeline may cut apart in a model.
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "ir/model.h"
#include "plan/space/choice.h"

namespace mtfc::plan {

/// Iterations by the path of what is repeated: "layers", "encoder.layers".
std::map<std::string, std::int64_t> iterations_of(const Model& model);

/// The iterations of what the model repeats, if that is one thing. Else its outermost blocks with
/// parameters, in order, and in the place of one that repeats something the iterations of that and
/// the other blocks around them: "stem", "stage1", "blocks1.0", "blocks1.1", ... Without blocks if
/// there are less than two.
Chain chain_of(const Model& model);

}  // namespace mtfc::plan
