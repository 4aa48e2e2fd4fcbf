#include "cli/plan/text.h"

#include <algorithm>
#include <sstream>

#include "cli/plan/shown.h"
#include "cli/session/mesh_text.h"
#include "frontend/layout/replace_mesh.h"
#include "messages/table.h"
#include "messages/wrap.h"
#include "plan/search/frontier.h"
#include "plan/space/ways_to_keep.h"
#include "support/figures.h"
#include "support/text.h"

namespace mtfc::cli {
namespace {

using plan::Judged;
using plan::Plan;
using plan::Price;
using plan::Without;

std::string memory_text(double bytes) { return scaled(bytes, "B"); }
/// "~5 MB": from few iterations (proof_text says how far that may be off).
std::string memory_text(const Price& price) {
  return (price.is_whole ? "" : "~") + memory_text(price.memory);
}
std::string number(std::size_t count) { return with_commas(static_cast<std::int64_t>(count)); }

/// "a step takes 1.2 ms, a processor holds 5 MB"; from few iterations "~1.2 ms", "~5 MB".
std::string price_text(const Price& price) {
  return "a step takes " + std::string(price.is_whole ? "" : "~") + duration(price.step) +
         ", a processor holds " + memory_text(price);
}
/// "that much in an evaluation, 5 MB in a step"; empty where the most is in a step.
std::string when_text(const Price& price) {
  if (price.when.empty()) return "";
  return "that much " + price.when + ", " + memory_text(price.in_steps) + " in a step";
}

std::string change_text(const Without& without, double memory) {
  if (!without.price) return "needed by the others";
  return "without it " + price_text(*without.price) +
         (without.price->memory > memory ? " (too much)" : "");
}

std::string table(const std::vector<const Judged*>& list) {
  std::vector<std::vector<std::string>> rows = {{"step", "memory", "mesh"}};
  for (const Judged* one : list)
    rows.push_back({duration(one->price.step), memory_text(one->price),
                    one->choice.mesh.axes.empty() ? "-" : plan::meshes_text(one->choice)});
  // Rules are long: below each row.
  std::istringstream lines(table_text(rows, {"  ", {0, 1}}));
  std::string text, line;
  std::getline(lines, line);
  text += line + "\n";
  for (const Judged* one : list) {
    std::getline(lines, line);
    text += line + "\n      " +
            wrapped(plan::description(one->choice), {.column = 6, .indent = 8}) + "\n";
  }
  return text;
}

/// "; stages of unlike meshes of 1, 2, 4 processors, 7 meshes"
std::string submeshes_text(const plan::Submeshes& submeshes) {
  if (submeshes.processors == 0) return "";
  return "; stages also of submeshes of " +
         joined(submeshes.sizes, ", ", [](std::int64_t size) { return std::to_string(size); }) +
         " processors (" + number(submeshes.meshes.size()) + " meshes)";
}

/// ", 14 of 2 to 8 stages"
std::string staged_text(const plan::Space& space) {
  if (space.staged.empty() || space.kept_pipeline) return "";
  const int most = space.staged.back().stages;
  const bool interleaves =
      std::any_of(space.staged.begin(), space.staged.end(), [&](const plan::StagedMesh& one) {
        return !plan::chunk_numbers(space.chain, one.stages).empty();
      });
  return ", " + number(space.staged.size()) + " of " + (most > 2 ? "2 to " : "") +
         std::to_string(most) + " stages cut anywhere between " + plan::text_of(space.chain) +
         (interleaves ? ", evenly also in several chunks" : "") + submeshes_text(space.submeshes);
}

/// "from 120 GB/s to 28.8 TB/s or more": as far as was looked.
std::string range_text(const plan::SpeedRange& range, double bandwidth) {
  const auto speed = [&](double factor) { return scaled(bandwidth * factor, "B/s"); };
  constexpr double end = plan::farthest * 0.99;
  return "from " + speed(range.low) + (range.low < 1 / end ? " or less" : "") + " to " +
         speed(range.high) + (range.high > end ? " or more" : "");
}

/// "mesh rows=4, batch:rows"
std::string mesh_and_rules(const plan::Choice& choice) {
  return mesh_line(choice) + ", " + plan::description(choice);
}

/// `layout` without `[]`, which says that there are no rules; behind a colon it is part of an
/// entry.
std::string without_nothing(const std::string& layout) {
  std::string text;
  char before = ' ';  // of what is neither blank nor comment
  for (std::size_t i = 0, end = 0; i < layout.size(); i = end) {
    const char c = layout[i];
    const char last = c == '#' ? '\n' : c == '[' ? ']' : c;
    end = c == '#' || c == '[' || c == '"' ? layout.find(last, i + 1) : i;
    end = std::min(end, layout.size() - 1) + 1;
    if (c != '[' || before == ':') text += layout.substr(i, end - i);
    if (c != '#' && std::string_view(" \t\r\n").find(c) == std::string_view::npos) before = c;
  }
  return text;
}

/// In one piece, unless that is longer than a line.
std::string entry_text(const std::string& entry) {
  constexpr std::size_t most = 70;
  return entry.size() > most ? entry : backquoted(entry);
}

std::string deviation_text(double share) {
  constexpr double least = 1e-4;
  return share < least ? "less than 0.01 %" : scaled(share * 100, "%") + " at most";
}

std::string undivided_text(const std::vector<std::string>& undivided) {
  if (undivided.empty()) return "";
  return wrapped("Nothing in it is padded: what some axes do not divide, they do not split (" +
                     joined(undivided, ", ") + "). With padding (`--pad`) others may be faster.",
                 {}) +
         "\n";
}

/// What the user pays for nothing.
std::string idle_text(const plan::Choice& choice, const Layout& given) {
  std::string text;
  for (const std::string& axis : plan::idle_axes(choice, given))
    text += "  " +
            wrapped(backquoted(axis) +
                        " splits nothing: along it processors repeat the same work, "
                        "and a mesh without it is about as fast",
                    {.column = 2, .indent = 4}) +
            "\n";
  return text;
}

/// What prices are added up from.
std::string few_text(const plan::Space& space) {
  return space.chain.is_priced_by_iterations() ? "few iterations" : "stages of one and two blocks";
}

/// Whether there is a proof, and what there is without.
std::string verdict_text(const Plan& plan, const std::string& few) {
  if (plan.is_proved()) {
    std::string text =
        plan.best ? "No layout of the space is faster" : "No layout of the space fits";
    if (plan.trusted_to < 1)
      text += ", if " + few + " say at most " + scaled(100 * plan.trusted_to, "%") +
              " of a step too much, or " + scaled(100 * plan.memory_trusted_to(), "%") +
              " of memory";
    return wrapped(text + ".", {}) + "\n";
  }
  std::string text;
  if (plan.cut_short > 0)
    text =
        "On " + number(plan.cut_short) +
        " of the meshes there are too many sets of rules to hold, and only those that seemed the "
        "fastest were taken; to search fewer dimensions keep some as they are: `--keep LAYOUT`. ";
  if (const std::size_t late = plan.open - std::min(plan.open, plan.cut_short); late > 0)
    text += "Time was up with " + number(late) + (late == 1 ? " family" : " families") +
            " not looked at; give it more: `--time 600`. ";
  if (plan.open_cuts > 0)
    text += number(plan.open_cuts) + (plan.open_cuts == 1 ? " pipeline" : " pipelines") +
            (plan.best ? " might be faster if" : " might fit if") +
            (plan.open_cuts == 1 ? " it were" : " they were") +
            " cut otherwise: not all cuts were priced, and the bound on them does not exclude it. ";
  if (plan.best) text += "The best of all takes " + duration(plan.bound) + " or more.";
  return wrapped(text, {}) + "\n";
}

}  // namespace

std::string mesh_line(const plan::Choice& choice) {
  if (!choice.pipeline) return mesh_text(choice.mesh);
  const int stages = choice.pipeline->stages;
  if (plan::has_own_meshes(choice))
    return counted(stages, "stage") + " of meshes " + plan::meshes_text(choice);
  return counted(stages, "stage") + " of " + mesh_text(choice.mesh) + (stages > 1 ? " each" : "");
}

std::string train_setting(const plan::Choice& choice, const plan::Space& space) {
  if (space.microbatches.size() == 1 || choice.microbatches == 1) return "";
  return "--set train.microbatches=" + std::to_string(choice.microbatches);
}

std::string best_text(const Plan& plan, const Layout& given, double memory,
                      const std::vector<Without>& without) {
  const Judged& best = *plan.best;
  std::string text = "the fastest layout that fits in " + memory_text(memory) + "\n  " +
                     mesh_line(best.choice) + "\n  " +
                     wrapped(plan::description(best.choice), {.column = 2, .indent = 4}) + "\n  " +
                     price_text(best.price) + "\n" +
                     (best.price.when.empty() ? "" : "  " + when_text(best.price) + "\n") +
                     idle_text(best.choice, given) + "\n";
  for (const Without& one : without)
    text += "  " +
            wrapped(entry_text(one.entry) + ": " + change_text(one, memory),
                    {.column = 2, .indent = 4}) +
            "\n";
  return text + (without.empty() ? "" : "\n");
}

std::string fastest_text(const Plan& plan) {
  return "the fastest\n" + table(fastest_of(plan)) + "\n";
}

std::string frontier_text(const Plan& plan) {
  const std::vector<const Judged*> front = plan::frontier(plan);
  if (front.size() < 2) return "";
  const std::vector<const Judged*> shown = shown_of(front);
  return "time against memory, of what was predicted: " + number(shown.size()) + " of the " +
         number(front.size()) + " that none\n  beats in both\n" + table(shown) + "\n";
}

std::string stability_text(const std::vector<plan::Stability>& stability,
                           const predict::Machine& machine) {
  std::string text;
  for (const plan::Stability& range : stability) {
    const predict::Level& level = machine.levels[range.level];
    const std::string proved = range_text(range.proved, level.bandwidth),
                      predicted = range_text(range.predicted, level.bandwidth);
    std::string line = "It stays the fastest for links of `" + level.name + "` that carry " +
                       proved + " (" + scaled(level.bandwidth, "B/s") + " are assumed)";
    if (predicted != proved) line += "; among the layouts that were predicted, " + predicted;
    if (range.below) line += "; slower: " + mesh_and_rules(*range.below);
    if (range.above) line += "; faster: " + mesh_and_rules(*range.above);
    text += wrapped(line + ".", {}) + "\n";
  }
  return text + (text.empty() ? "" : "\n");
}

std::string proof_text(const Plan& plan, const plan::Space& space, const DimTable& dims) {
  const std::size_t meshes = space.kept_pipeline ? space.staged.size() : space.meshes.size();
  std::string text = number(meshes) + (meshes == 1 ? " mesh" : " meshes") +
                     (space.kept_pipeline ? " of the stages that are kept" : "") +
                     staged_text(space) + "; rules for " + joined(space.dims, ", ") +
                     (space.pads ? " over axes, padded where these do not divide them"
                                 : " over axes that divide them");
  if (!space.scope_dims.empty())
    text += ", those for " + joined(space.scope_dims, ", ") + " also by block";
  if (!space.handed_dims.empty())
    text +=
        ", that for " + joined(space.handed_dims, ", ") + " also by block in the place of examples";
  if (!space.kept_dims.empty()) text += "; parameters kept along " + joined(space.kept_dims, ", ");
  std::vector<std::string> together;  // each once
  for (const plan::KeptTogether& one : plan::all_kept_together(space, dims))
    if (std::string names = joined(one.dims, ", ") + " together";
        std::find(together.begin(), together.end(), names) == together.end())
      together.push_back(std::move(names));
  if (!together.empty()) text += ", or " + joined(together, ", or ");
  if (space.updates) text += "; updates shared or not";
  if (space.recompute)
    text += "; what does not fit also with blocks computed again, in as few iterations as it takes";
  if (space.microbatches.size() > 1)
    text += "; " + std::to_string(space.microbatches.front()) + " to " +
            std::to_string(space.microbatches.back()) + " micro-batches";
  if (space.bars_microbatches)
    text += space.microbatches.size() > 1
                ? ", but for those with which the model would not have the same results"
                : "; no micro-batches, with which the model would not have the same results";
  std::size_t by_memory = 0;
  for (const plan::Excluded& one : plan.excluded) by_memory += one.bytes > 0;
  text = "space: " + text + ". " + number(plan.judged.size()) + " layouts predicted";
  const std::string few = few_text(space);
  if (plan.whole == 0)
    text += ", all from " + few;
  else if (plan.whole < plan.judged.size())
    text += ", " + number(plan.whole) + " of them compiled whole, whose steps differed from what " +
            few + " give by " + deviation_text(plan.deviation) + ", and memory (~) by " +
            deviation_text(plan.memory_deviation);
  text += "; " + number(plan.excluded.size() - by_memory) +
          " families excluded because what they compute, and add up between processors, takes as "
          "long as the best layout";
  if (by_memory > 0) text += ", " + number(by_memory) + " because what they keep does not fit";
  text = wrapped(text + ".", {}) + "\n";
  return text + verdict_text(plan, few) + undivided_text(plan::undivided_dims(space, dims));
}

std::string layout_file(const Judged& best, double memory, const std::vector<Without>& without,
                        const std::string& made_by, const std::string& given) {
  std::string text = "# " + made_by + ":\n# " + price_text(best.price) + ".\n";
  if (!best.price.when.empty()) text += "# (" + when_text(best.price) + ".)\n";
  if (best.choice.microbatches > 1)
    text +=
        "# Train with --set train.microbatches=" + std::to_string(best.choice.microbatches) + ".\n";
  const Mesh& mesh = plan::written_mesh(best.choice);
  const std::string kept = best.choice.rules.empty() ? given : without_nothing(given);
  if (!given.empty())
    text += (mesh.axes.empty() ? kept : with_mesh(kept, mesh)) + "\n";
  else if (!mesh.axes.empty())
    text += "mesh " + to_string(mesh) + "\n";
  if (given.empty() && plan::entries_of(best.choice).empty()) text += "[]\n";  // meant so
  for (const std::string& entry : plan::entries_of(best.choice)) {
    text += entry;
    for (const Without& one : without)
      if (one.entry == entry) text += "  # " + change_text(one, memory);
    text += "\n";
  }
  return text;
}

}  // namespace mtfc::cli
