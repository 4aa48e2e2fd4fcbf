// Models and machines for tests of plans.
#pragma once
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "messages/source_map.h"
#include "plan/price/models.h"
#include "plan/space/space.h"
#include "predict/machine.h"

namespace plan_lab {

using namespace mtfc;
using Words = std::vector<std::pair<std::string, std::string>>;

std::string text_of(const std::string& path);  // below the tree
/// `defines`: as -D has them, `settings` as --set.
std::optional<Model> model_of(SourceMap& sources, const std::string& text,
                              const Words& defines = {}, const Words& settings = {});
/// The model with micro-batches, and with `layers` as often as asked for. `iterations`: 0 if it is
/// always whole.
plan::Models models_of(SourceMap& sources, const std::string& text, const Words& defines,
                       std::int64_t iterations = 0);
/// A layout of the space, each as likely as its general rules are.
plan::Choice random_choice(const plan::Space& space, const DimTable& dims, std::mt19937& random);
predict::Machine preset(const std::string& name);

}  // namespace plan_lab
