#include "train/pipeline_plan.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "support/check.h"
#include "support/program_names.h"

namespace mtfc::runtime {

std::vector<int> PipelinePlan::parts_of(std::string_view program) const {
  std::vector<int> found;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].name == program) return {static_cast<int>(i)};
    if (parts[i].program == program) found.push_back(static_cast<int>(i));
  }
  return found;
}

const PipelinePlan::Variable& PipelinePlan::variable(std::string_view path) const {
  const auto found =
      std::find_if(variables.begin(), variables.end(),
                   [&](const Variable& variable) { return variable.info.path == path; });
  MTFC_CHECK(found != variables.end(), "no variable " + std::string(path));
  return *found;
}

int PipelinePlan::first_rank(int stage) const {
  return static_cast<int>(
      std::accumulate(processors.begin(), processors.begin() + stage, std::int64_t{0}));
}

int PipelinePlan::stage_of_rank(int rank) const {
  int stage = 0;
  while (stage + 1 < stages && rank >= first_rank(stage + 1)) ++stage;
  return stage;
}

std::vector<int> PipelinePlan::receivers(const Crossing& crossing) const {
  std::set<int> stages;
  for (const int use : crossing.to) stages.insert(part(use).stage);
  return {stages.begin(), stages.end()};
}

int PipelinePlan::last_use(const Crossing& crossing, int stage) const {
  const auto last = std::find_if(crossing.to.rbegin(), crossing.to.rend(),
                                 [&](int use) { return part(use).stage == stage; });
  return last == crossing.to.rend() ? -1 : *last;
}

void sort_fetched(const PipelinePlan& plan, std::vector<Fetched>& fetched) {
  const auto number = [&](const Fetched& one) {
    if (one.kind != "loss" && one.kind != "metric") return plan.outputs.end();
    return std::find(plan.outputs.begin(), plan.outputs.end(), one.name);
  };
  std::stable_sort(fetched.begin(), fetched.end(),
                   [&](const Fetched& a, const Fetched& b) { return number(a) < number(b); });
}

std::int64_t microbatch_of(const Feeds& feeds) {
  const auto number = feeds.find(feed_names::microbatch);
  return number == feeds.end() ? 0 : *number->second.as<std::int32_t>();
}

std::int64_t passes_held(const PipelinePlan& plan, int stage, const std::vector<HeldKey>& held) {
  std::set<std::pair<std::int64_t, int>> passes;  // micro-batch, chunk
  for (const HeldKey& key : held) {
    const PipelinePlan::Crossing& crossing = plan.crossing(key.crossing);
    const PipelinePlan::Part& from = plan.part(crossing.from);
    const int last = plan.last_use(crossing, stage);
    if (from.stage == stage && !from.backward && !crossing.steady && last >= 0 &&
        plan.part(last).backward)
      passes.insert({key.microbatch, from.chunk});
  }
  return static_cast<std::int64_t>(passes.size());
}

}  // namespace mtfc::runtime
