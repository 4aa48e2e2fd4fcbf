#include "cost/evaluates.h"

#include <algorithm>

namespace mtfc::cost {
namespace {

bool is_zero(const SourceSpec::Value& value) {
  if (const auto* real = std::get_if<double>(&value)) return *real == 0;
  const auto* whole = std::get_if<std::int64_t>(&value);
  return whole != nullptr && *whole == 0;
}

bool has_evaluation(const SourceSpec& source) {
  return std::none_of(source.args.begin(), source.args.end(), [](const auto& arg) {
    return (arg.first == "holdout" || arg.first == "eval_count") && is_zero(arg.second);
  });
}

}  // namespace

bool evaluates(const Model& model) {
  return has_loss(model.eval) &&
         std::all_of(model.sources.begin(), model.sources.end(), has_evaluation);
}

bool evaluates_more_at_once(const Model& model) {
  return model.microbatch.count > 1 && model.evaluation.count == 1 && evaluates(model);
}

}  // namespace mtfc::cost
