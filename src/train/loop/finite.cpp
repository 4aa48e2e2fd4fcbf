#include "train/loop/finite.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "support/host_tensor.h"
#include "support/not_finite.h"
#include "train/checkpoint/checkpoint.h"
#include "train/loop/log_lines.h"

namespace mtfc::runtime {
namespace {

struct Found {
  std::size_t at;
  NotFinite kind;  // the worst of any rank

  std::string text() const { return "is " + std::string(name(kind)); }
};

/// The first that is not finite on any rank; `mine` has as many on each.
std::optional<Found> first_of(const std::vector<NotFinite>& mine, net::Network& network) {
  const auto is_bad = [](NotFinite kind) { return kind != NotFinite::none; };
  const std::int64_t own = std::find_if(mine.begin(), mine.end(), is_bad) - mine.begin();
  const auto first = static_cast<std::size_t>(network.lowest(own));
  if (first == mine.size()) return std::nullopt;
  return Found{first,
               static_cast<NotFinite>(network.highest(static_cast<std::int64_t>(mine[first])))};
}

}  // namespace

std::optional<std::string> find_not_finite(Engine& engine) {
  const std::vector<VariableInfo> variables = engine.variables();
  std::vector<NotFinite> mine;
  // Getting one may be a collective act: every rank goes through all of them.
  for (const VariableInfo& variable : variables)
    mine.push_back(is_saved(variable) ? engine.worst_of(variable.path) : NotFinite::none);
  const std::optional<Found> found = first_of(mine, engine.network());
  if (!found) return std::nullopt;
  const VariableInfo& variable = variables[found->at];
  return (variable.kind == "optimizer" ? "optimizer state" : variable.kind) + " `" + variable.path +
         "` " + found->text();
}

StepOutcome outcome_of_step(Engine& engine, const std::vector<Fetched>& fetched) {
  const bool bad_loss = engine.any(!std::isfinite(loss_of(fetched)));
  return {bad_loss, find_not_finite(engine)};
}

double loss_of(const std::vector<Fetched>& fetched) {
  const HostTensor* loss = find_fetched(fetched, "loss", "loss");
  return loss != nullptr ? loss->scalar() : 0;
}

std::optional<std::string> find_not_finite_input(const Feeds& feeds, net::Network& network) {
  std::vector<NotFinite> mine;
  for (const auto& [name, tensor] : feeds) mine.push_back(worst_of(tensor));
  const std::optional<Found> found = first_of(mine, network);
  if (!found) return std::nullopt;
  return "input `" + std::next(feeds.begin(), static_cast<std::ptrdiff_t>(found->at))->first +
         "` " + found->text();
}

const char* kind_of_not_finite(double value) { return name(worst_of(DType::f64, &value, 1)); }

std::optional<std::string> find_not_finite_loss(const std::vector<Fetched>& fetched,
                                                const std::string& whose) {
  std::optional<std::string> total;
  for (const Fetched& item : fetched) {
    if (item.kind != "loss" || std::isfinite(item.value.scalar())) continue;
    const std::string kind = kind_of_not_finite(item.value.scalar());
    if (item.name != "loss") return whose + " loss `" + item.name + "` is " + kind;
    total = whose + " loss is " + kind;
  }
  return total;
}

bool skipped_by_loss_scale(const std::vector<Fetched>& fetched) {
  const HostTensor* skipped = find_fetched(fetched, "report", "skipped");
  return skipped != nullptr && skipped->scalar() != 0;
}

}  // namespace mtfc::runtime
