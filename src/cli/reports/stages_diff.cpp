#include "cli/reports/stages_diff.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/reports/diff_text.h"
#include "cli/reports/prediction_rows.h"
#include "support/figures.h"

namespace mtfc::cli {
namespace {

/// Of one processor of a stage.
struct StageFigures {
  double work = 0, memory = 0, within = 0, between = 0;  // FLOPs; bytes; sent in and between stages
  double sent() const { return within + between; }
  friend bool operator==(const StageFigures&, const StageFigures&) = default;
};

std::vector<StageFigures> figures_of(const Costed& costed) {
  std::vector<StageFigures> all;
  if (!costed.pipeline)
    all.push_back({costed.cost.flops_per_processor,
                   static_cast<double>(costed.cost.memory_per_processor()),
                   static_cast<double>(costed.cost.sent_per_processor()), 0});
  else
    for (std::size_t i = 0; i < costed.pipeline->cost.stages.size(); ++i) {
      const cost::StageCost& stage = costed.pipeline->cost.stages[i];
      all.push_back({stage.cost.flops_per_processor, static_cast<double>(stage.memory()),
                     static_cast<double>(stage.cost.sent_per_processor()),
                     costed.pipeline->cost.sent(costed.pipeline->module, static_cast<int>(i))});
    }
  return all;
}

/// Of the stage that has the most.
template <class Figure>
double most(const std::vector<StageFigures>& stages, Figure figure) {
  double found = 0;
  for (const StageFigures& stage : stages) found = std::max(found, figure(stage));
  return found;
}

double waiting(const Costed& costed) {
  if (!costed.pipeline) return 0;
  return pipeline::idle_share(costed.pipeline->passes(), costed.pipeline->stages.count);
}

std::string totals(const Costed& a, const Costed& b, const std::vector<StageFigures>& of_a,
                   const std::vector<StageFigures>& of_b) {
  const auto row = [&](const char* what, const char* unit, auto figure) {
    return difference_row(what, most(of_a, figure), most(of_b, figure), unit);
  };
  std::string text =
      fmt::format("  {:<24} {:>14} {:>14} {:>12}\n", "of a processor", "a", "b", "a to b");
  text += difference_row("processors", static_cast<double>(processors(a)),
                         static_cast<double>(processors(b)), "");
  text += difference_row("stages", static_cast<double>(of_a.size()),
                         static_cast<double>(of_b.size()), "");
  text += row("work, busiest stage", "FLOP", [](const auto& stage) { return stage.work; });
  text += row("memory, largest stage", "B", [](const auto& stage) { return stage.memory; });
  text += row("sent, most of a stage", "B", [](const auto& stage) { return stage.sent(); });
  text += row("  within a stage", "B", [](const auto& stage) { return stage.within; });
  text += row("  to other stages", "B", [](const auto& stage) { return stage.between; });
  return text + fmt::format("  {:<24} {:>14} {:>14}\n", "waiting, by work", percent(waiting(a)),
                            percent(waiting(b)));
}

std::string by_stage(const std::vector<StageFigures>& a, const std::vector<StageFigures>& b) {
  constexpr const char* row = "  {:>5} {:>11} {:>11} {:>11} {:>11} {:>11} {:>11}\n";
  const auto text = [](const std::vector<StageFigures>& stages, std::size_t i, auto figure,
                       const char* unit) {
    return i < stages.size() ? scaled(figure(stages[i]), unit) : std::string("-");
  };
  const auto work = [](const StageFigures& stage) { return stage.work; };
  const auto memory = [](const StageFigures& stage) { return stage.memory; };
  const auto sent = [](const StageFigures& stage) { return stage.sent(); };
  std::string all = "\n" + fmt::format(row, "stage", "work a", "b", "memory a", "b", "sent a", "b");
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i)
    all +=
        fmt::format(row, i, text(a, i, work, "F"), text(b, i, work, "F"), text(a, i, memory, "B"),
                    text(b, i, memory, "B"), text(a, i, sent, "B"), text(b, i, sent, "B"));
  return all;
}

}  // namespace

bool same_stages(const Costed& a, const Costed& b) { return figures_of(a) == figures_of(b); }

std::string stages_diff_text(const Costed& a, const Costed& b,
                             const cost::CostDifference& difference) {
  if (difference.same) return "they compute, send and hold the same\n";
  const std::vector<StageFigures> of_a = figures_of(a), of_b = figures_of(b);
  return totals(a, b, of_a, of_b) + by_stage(of_a, of_b) +
         origins_text(difference, "line, all processors");
}

}  // namespace mtfc::cli
