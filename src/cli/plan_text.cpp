#include "cli/plan_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <sstream>

#include "cli/compile.h"
#include "cli/prediction_text.h"
#include "support/figures.h"
#include "support/table.h"
#include "support/text.h"
#include "support/wrap.h"

namespace mtfc::cli {
namespace {

using plan::Judged;
using plan::Plan;

std::string memory_text(double bytes) { return scaled(bytes, "B"); }

/// "step 1.2 ms -> 3.4 ms, memory 5 MB -> 10 MB"
std::string change_text(const Judged& best, const Without& without) {
  if (!without.judged) return "needed by the others";
  const Judged& other = *without.judged;
  return "without it a step takes " + duration(other.step) + ", a processor holds " +
         memory_text(other.memory) + (best.fits && !other.fits ? " (too much)" : "");
}

std::string space_text(const plan::Space& space, const Plan& plan) {
  std::string text = "space: " + std::to_string(space.meshes.size()) +
                     (space.meshes.size() == 1 ? " mesh" : " meshes") + "; general rules for " +
                     joined(space.dims, ", ");
  if (!space.kept_dims.empty())
    text += "; `param \"**\"` along " + joined(space.kept_dims, ", ") + ", or none";
  text += ". " + with_commas(static_cast<std::int64_t>(plan.judged.size())) +
          " layouts predicted, " + with_commas(static_cast<std::int64_t>(plan.excluded.size())) +
          " excluded because their products alone take as long as the best layout";
  if (plan.illegal > 0)
    text += ", " + with_commas(static_cast<std::int64_t>(plan.illegal)) + " not legal";
  return text + ".";
}

std::string proof_text(const Plan& plan) {
  if (plan.is_proved()) return "No layout of the space is faster.";
  return "Time was up with " + with_commas(static_cast<std::int64_t>(plan.open)) +
         " layouts not looked at: the best of all takes " + duration(plan.bound) +
         " or more. Give it more: `--time 600`.";
}

/// The fastest that fit, the best first.
std::vector<const Judged*> fastest(const Plan& plan, std::size_t most) {
  std::vector<const Judged*> list;
  for (const Judged& one : plan.judged)
    if (one.fits) list.push_back(&one);
  std::stable_sort(list.begin(), list.end(),
                   [](const Judged* a, const Judged* b) { return a->step < b->step; });
  if (list.size() > most) list.resize(most);
  return list;
}

std::string table(const std::vector<const Judged*>& list) {
  std::vector<std::vector<std::string>> rows = {{"step", "memory", "mesh"}};
  for (const Judged* one : list)
    rows.push_back({duration(one->step), memory_text(one->memory),
                    one->choice.mesh.axes.empty() ? "-" : to_string(one->choice.mesh)});
  // Rules are long: below each row.
  std::istringstream lines(table_text(rows, {"  ", {0, 1}}));
  std::string text, line;
  std::getline(lines, line);
  text += line + "\n";
  for (const Judged* one : list) {
    std::getline(lines, line);
    text += line + "\n      " + wrapped(plan::rules_text(one->choice), {.column = 6, .indent = 8}) +
            "\n";
  }
  return text;
}

std::string judged_json(const Judged& one) {
  return json_object({{"mesh", json(to_string(one.choice.mesh))},
                      {"rules", json(plan::rules_text(one.choice))},
                      {"step_seconds", json(one.step)},
                      {"memory", json(one.memory)},
                      {"fits", json(one.fits)}});
}

}  // namespace

std::string plan_text(const Plan& plan, const plan::Space& space, double memory,
                      const std::vector<Without>& without) {
  std::string text;
  if (plan.best) {
    text += "the fastest layout that fits in " + memory_text(memory) + "\n";
    text += "  " + mesh_text(plan.best->choice.mesh) + "\n";
    text += "  " + wrapped(plan::rules_text(plan.best->choice), {.column = 2, .indent = 4}) + "\n";
    text += "  a step takes " + duration(plan.best->step) + ", a processor holds " +
            memory_text(plan.best->memory) + "\n\n";
    for (const Without& one : without)
      text += "  " +
              wrapped("`" + one.rule + "`: " + change_text(*plan.best, one),
                      {.column = 2, .indent = 4}) +
              "\n";
    text += without.empty() ? "" : "\n";
    text += "the fastest\n" + table(fastest(plan, 10)) + "\n";
  } else if (plan.smallest) {
    text +=
        wrapped(
            (plan.is_proved() ? "No layout fits in " : "No layout that was looked at fits in ") +
                memory_text(memory) + ": the smallest takes " + memory_text(plan.smallest->memory) +
                " of each processor, with " + mesh_text(plan.smallest->choice.mesh) + " and " +
                plan::rules_text(plan.smallest->choice) + ".",
            {}) +
        "\n\n";
  }
  return text + wrapped(space_text(space, plan), {}) + "\n" + wrapped(proof_text(plan), {}) + "\n";
}

JsonFields plan_json(const Plan& plan, const plan::Space& space, double memory,
                     const std::vector<Without>& without) {
  std::vector<std::string> meshes, judged, excluded, buys;
  for (const Mesh& mesh : space.meshes) meshes.push_back(to_string(mesh));
  for (const Judged& one : plan.judged) judged.push_back(judged_json(one));
  for (std::size_t i = 0; i < plan.excluded.size(); ++i)
    excluded.push_back(json_object({{"mesh", json(to_string(plan.excluded[i].mesh))},
                                    {"rules", json(plan::rules_text(plan.excluded[i]))},
                                    {"bound_seconds", json(plan.bounds[i])}}));
  for (const Without& one : without)
    buys.push_back(json_object(
        {{"rule", json(one.rule)}, {"without", one.judged ? judged_json(*one.judged) : "null"}}));
  return {{"best", plan.best ? judged_json(*plan.best) : "null"},
          {"smallest", plan.smallest ? judged_json(*plan.smallest) : "null"},
          {"memory_limit", json(memory)},
          {"proved", json(plan.is_proved())},
          {"bound_seconds", json(plan.bound)},
          {"open", json(plan.open)},
          {"buys", json_array(buys)},
          {"space", json_object({{"meshes", json_list(meshes)},
                                 {"dimensions", json_list(space.dims)},
                                 {"kept", json_list(space.kept_dims)}})},
          {"predicted", json_array(judged)},
          {"excluded", json_array(excluded)}};
}

std::string layout_file(const Judged& best, const std::vector<Without>& without,
                        const std::string& made_by) {
  const auto comment = [&](const plan::Split& split, const std::string& before) {
    const std::string rule = before + plan::text_of(split);
    for (const Without& one : without)
      if (one.rule == rule) return "  # " + change_text(best, one);
    return std::string();
  };
  std::string text = "# " + made_by + ":\n# a step takes " + duration(best.step) +
                     ", a processor holds " + memory_text(best.memory) + ".\n";
  if (!best.choice.mesh.axes.empty()) text += "mesh " + to_string(best.choice.mesh) + "\n";
  for (const plan::Split& split : best.choice.rules)
    text += plan::text_of(split) + comment(split, "") + "\n";
  for (const plan::Split& split : best.choice.kept)
    text +=
        "param \"**\" { " + plan::text_of(split) + " }" + comment(split, "param \"**\" ") + "\n";
  return text;
}

}  // namespace mtfc::cli
