#include "cli/plan/models.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "cli/session/read_model.h"
#include "layout/check_summary.h"
#include "layout/named_tensors.h"
#include "plan/price/few_iterations.h"
#include "plan/space/chain.h"

namespace mtfc::cli {
namespace {

/// Whether a tensor has a dimension of this name: more iterations would be more than that.
bool is_dimension(const Model& model, const std::string& name) {
  const std::vector<bool> used = lowering::used_dims(model);
  for (std::size_t i = 0; i < used.size(); ++i)
    if (used[i] && model.dims.all()[i].name == name) return true;
  return false;
}

/// A name that -D takes, and how many iterations it makes.
struct Repeated {
  std::string name;
  std::int64_t iterations = 0;
};
/// A `repeat` is labelled as the dimension that counts it. Nothing if the model repeats different
/// things, or more iterations are not more of the same.
std::optional<Repeated> find_repeated(Session& session, const Model& model) {
  const std::map<std::string, std::int64_t> all = plan::iterations_of(model);
  if (all.size() != 1) return std::nullopt;
  const auto& [path, count] = *all.begin();
  const Repeated found{path.substr(path.rfind('.') + 1), count};
  if (count < 2 || is_dimension(model, found.name)) return std::nullopt;
  std::vector<std::int64_t> variables, elements;
  for (const std::int64_t few : {2, 3}) {
    const std::optional<Model> other =
        try_model(session, {{found.name, std::to_string(few)}}, {}, session.diagnostics.warnings());
    if (!other || plan::iterations_of(*other) != std::map<std::string, std::int64_t>{{path, few}})
      return std::nullopt;
    variables.push_back(static_cast<std::int64_t>(other->variables.size()));
    elements.push_back(lowering::parameter_elements(*other));
  }
  const auto at_all = [&](const std::vector<std::int64_t>& counts) {
    return counts[0] + (found.iterations - 2) * (counts[1] - counts[0]);
  };
  if (at_all(variables) != static_cast<std::int64_t>(model.variables.size()) ||
      at_all(elements) != lowering::parameter_elements(model))
    return std::nullopt;
  return found;
}

}  // namespace

plan::Models models_of(Session& session, const Model& model) {
  const std::optional<Repeated> repeated = find_repeated(session, model);
  const std::string name = repeated ? repeated->name : "";
  const auto make = [&session, &model, name](std::int64_t microbatches,
                                             std::int64_t iterations) -> std::optional<Model> {
    const bool same = microbatches == model.settings.microbatches;
    if (same && iterations == 0) return model;
    std::vector<KeyValue> defines, settings;
    if (iterations > 0) defines.emplace_back(name, std::to_string(iterations));
    if (!same) settings.emplace_back("train.microbatches", std::to_string(microbatches));
    return try_model(session, defines, settings, session.diagnostics.warnings());
  };
  return {make, repeated ? repeated->iterations : 0};
}

TriedMicrobatches microbatches_of(const plan::Models& models, const Model& model) {
  if (!model.settings.present || model.settings.microbatches_span.valid())
    return {{model.settings.microbatches}};
  TriedMicrobatches tried;
  const auto divides = [&](std::int64_t count) {
    return std::all_of(model.inputs.begin(), model.inputs.end(), [&](const Input& input) {
      return input.type.dims.empty() || model.dims[input.type.dims.front()].size % count == 0;
    });
  };
  if (model.inputs.empty()) return {{1}};
  const std::int64_t few = models.iterations() > 0 ? plan::fewest_iterations : 0;
  // 1, 2, 4, ... where these divide; else the next that does: 1, 2, 4, 8, 20, 40, 140, 280 of 280.
  constexpr std::int64_t most = 4096;
  for (std::int64_t count = 1, last = 0; count <= most; ++count) {
    if (!divides(count) || count < 2 * last) continue;
    last = count;
    if (count == 1 || models.find(count, few) != nullptr)
      tried.counts.push_back(count);
    else
      tried.barred = true;
  }
  return tried;
}

}  // namespace mtfc::cli
