#include "cli/plan/machines.h"

#include <algorithm>
#include <limits>

#include "cli/plan/json.h"
#include "messages/table.h"
#include "messages/wrap.h"
#include "support/figures.h"

namespace mtfc::cli {

PlannedMachine& fastest(std::vector<PlannedMachine>& machines) {
  const auto seconds = [](const PlannedMachine& one) {
    return one.plan.best ? one.plan.best->price.step : std::numeric_limits<double>::infinity();
  };
  PlannedMachine* found = &machines.back();
  for (PlannedMachine& one : machines)
    if (seconds(one) < seconds(*found)) found = &one;
  return *found;
}

namespace {

/// Of machines on which no layout was found that fits: whether any of them may have one.
struct Doubts {
  bool any = false, open = false;  // open: not all layouts were looked at
  double trusted_to = 1;           // else what few iterations would have to be off by, of memory

  void add(const plan::Plan& plan) {
    open = open || !plan.is_proved();
    trusted_to = std::min(trusted_to, plan.memory_trusted_to());
    any = open || trusted_to < 1;
  }
  std::string text() const {
    if (!any) return "";
    if (open) return " Not all layouts were looked at where none was found (`--time`).";
    return " Where none was found, none fits if few iterations say at most " +
           scaled(100 * trusted_to, "%") + " of memory too much.";
  }
};

}  // namespace

std::string machines_text(const std::vector<PlannedMachine>& machines) {
  std::vector<std::vector<std::string>> rows = {
      {"processors", "step", "step x processors", "memory", "mesh"}};
  const PlannedMachine* smallest = nullptr;
  Doubts doubts;
  for (const PlannedMachine& one : machines) {
    const std::string count = with_commas(one.processors);
    const auto& best = one.plan.best;
    if (best && !smallest) smallest = &one;
    const plan::Judged* shown = best ? &*best : one.plan.smallest ? &*one.plan.smallest : nullptr;
    const bool sure = one.plan.is_proved() && one.plan.memory_trusted_to() >= 1;
    const char* const none = sure ? "does not fit" : "none found";
    if (!best) doubts.add(one.plan);
    if (!shown)
      rows.push_back({count, sure ? "-" : none, "-", "-", "-"});
    else
      rows.push_back(
          {count, best ? duration(shown->price.step) : none,
           best ? duration(shown->price.step * static_cast<double>(one.processors)) : "-",
           (shown->price.is_whole ? "" : "~") + scaled(shown->price.memory, "B"),
           plan::meshes_text(shown->choice)});
  }
  std::string text = table_text(rows, {"  ", {0, 1, 2, 3}});
  std::string words;
  if (smallest)
    words = "The smallest machine of these on which " +
            std::string(!doubts.any ? "it fits" : "a layout was found that fits") + " has " +
            counted(smallest->processors, "processor") + ".";
  words += doubts.text();
  if (!words.empty()) text += wrapped(words, {}) + "\n";
  return text + "\n";
}

std::string machines_json(const std::vector<PlannedMachine>& machines) {
  std::vector<std::string> all;
  for (const PlannedMachine& one : machines) {
    const plan::Plan& plan = one.plan;
    all.push_back(json_object({{"processors", json(one.processors)},
                               {"best", plan.best ? judged_json(*plan.best) : "null"},
                               {"smallest", plan.smallest ? judged_json(*plan.smallest) : "null"},
                               {"proved", json(plan.is_proved())},
                               {"trusted_to", trusted_to_json(plan)}}));
  }
  return json_array(all);
}

}  // namespace mtfc::cli
