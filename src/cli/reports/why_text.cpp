#include "cli/reports/why_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "messages/wrap.h"
#include "support/figures.h"
#include "support/text.h"

namespace mtfc::cli {
namespace {

using cost::CollectiveCost;
using cost::CollectiveGroup;
using cost::LineCost;
using cost::LineShard;
using cost::LineStages;
using cost::ranges_text;

constexpr std::size_t text_column = 24, source_columns = 57, stage_columns = 7;

/// The beginning of a line of a source.
std::string beginning(const std::string& text, std::size_t columns) {
  return text.size() <= columns ? text : text.substr(0, columns - 3) + "...";
}

/// Empty where nothing of the line is in a stage.
std::vector<int> stages_of(const LineStages& stages, const std::string& source) {
  const auto found = stages.find(source);
  return found == stages.end() ? std::vector<int>() : found->second;
}

const LineCost* line_cost(const cost::Cost& cost, const std::string& source) {
  for (const LineCost& line : cost.lines)
    if (line.source == source) return &line;
  return nullptr;
}

/// "" for nothing.
std::string figure(double value) { return value > 0 ? scaled(value, "") : ""; }

/// A line of a source with its figures, and below it the shards of what it makes.
std::string listed_line(const SourceMap& sources, FileId file, int number, const cost::Cost& cost,
                        const std::vector<LineShard>& shards, const LineStages& stages) {
  const std::string source = sources.path(file) + ":" + std::to_string(number);
  const LineCost* line = line_cost(cost, source);
  const std::size_t columns = stages.empty() ? 0 : stage_columns;
  const std::string where = shortened(ranges_text(stages_of(stages, source)), stage_columns - 1);
  std::string text =
      fmt::format("{:>5} {:>7} {:>7}{:>{}}  {}\n", number, line ? figure(line->flops) : "",
                  line ? figure(static_cast<double>(line->sent)) : "", where, columns,
                  beginning(std::string(sources.line(file, number)), source_columns - columns));
  while (text.size() > 2 && text[text.size() - 2] == ' ') text.erase(text.size() - 2, 1);
  for (const LineShard& shard : shards)
    if (!shard.called && shard.source == source)
      text += std::string(text_column, ' ') + "= " +
              wrapped(shard.text(), {text_column + 2, text_column + 4, 80}) + "\n";
  return text;
}

/// Whether a line of it computes, sends or makes something.
bool is_listed(const std::string& source, const cost::Cost& cost,
               const std::vector<LineShard>& shards) {
  return line_cost(cost, source) || std::any_of(shards.begin(), shards.end(), [&](const auto& s) {
           return !s.called && s.source == source;
         });
}

/// "it is summed over `rows`, along which `contract` has parts of the sum"
std::string reason_of(const CollectiveCost& one) {
  const std::string operation = one.operation.empty() ? "an operation" : backquoted(one.operation);
  if (one.kind == "all_reduce" || one.kind == "reduce_scatter")
    return operation + " gives each processor along " + one.axes + " a part of a sum";
  if (one.kind == "all_gather") return operation + " needs it unsplit over " + one.axes;
  return operation + " needs it split otherwise over " + one.axes;
}

std::string chain_of(std::size_t number, const CollectiveGroup& group) {
  const CollectiveCost& one = group.first;
  const std::string what = one.tensor.empty() ? "" : " of " + shortened(one.tensor, 40);
  std::string text = fmt::format("{:>3}. {}\n", number, one.cause.empty() ? "no rule" : one.cause);
  const auto add = [&](const std::string& line) {
    text += "     -> " + wrapped(line, {8, 8, 80}) + "\n";
  };
  add(reason_of(one) + " (" + one.phase +
      (one.model_line().empty() ? "" : ", " + one.model_line()) +
      (group.library.empty() ? "" : ", which calls " + joined(group.library, ", ")) + ")");
  add(fmt::format("{} x {} over {}{}, each sends {}", group.count, one.kind, one.axes, what,
                  scaled(static_cast<double>(group.sent) / static_cast<double>(group.count), "B")));
  return text;
}

double growth(double now, double then) { return now > 0 ? then / now - 1 : 0; }

std::string change_percent(double now, double then) {
  if (now == then) return "same";
  return now > 0 ? fmt::format("{:+.3g} %", 100 * growth(now, then)) : "new";
}

/// "1, 3"
std::string numbers_text(const std::vector<std::size_t>& numbers) {
  return joined(numbers, ", ", [](std::size_t number) { return std::to_string(number); });
}

std::string changes_table(const std::vector<WhyChange>& changes, const cost::Cost& now) {
  constexpr const char* row = "  {:<28} {:>8} {:>9} {:>9} {:>9} {:>9}\n";
  std::string text = "\nwithout one rule, tried, the cheapest first:\n" +
                     fmt::format(row, "rule", "removes", "sent here", "work", "memory", "sent");
  for (const WhyChange& one : changes)
    text += fmt::format(
        row, shortened(one.rule, 28), shortened(numbers_text(one.removes), 8),
        change_percent(static_cast<double>(one.sent_now), static_cast<double>(one.sent_then)),
        change_percent(now.flops_per_processor, one.cost.flops_per_processor),
        change_percent(static_cast<double>(now.memory_per_processor()),
                       static_cast<double>(one.cost.memory_per_processor())),
        change_percent(static_cast<double>(now.sent_per_processor()),
                       static_cast<double>(one.cost.sent_per_processor())));
  return text;
}

}  // namespace

std::vector<CollectiveGroup> collectives_of(const WhyTarget& target, const cost::Cost& cost) {
  std::vector<CollectiveCost> list;
  for (const CollectiveCost& one : cost.collectives)
    if (target.has(one)) list.push_back(one);
  return cost::grouped(list);
}

void add_change(std::vector<WhyChange>& changes, const WhyTarget& target, const cost::Cost& now,
                WhyChange change) {
  const std::vector<CollectiveGroup> before = collectives_of(target, now),
                                     after = collectives_of(target, change.cost);
  for (std::size_t i = 0; i < before.size(); ++i) {
    change.sent_now += before[i].sent;
    if (std::none_of(after.begin(), after.end(), [&](const CollectiveGroup& one) {
          return is_like(one.first, before[i].first);
        }))
      change.removes.push_back(i + 1);
  }
  for (const CollectiveGroup& one : after) change.sent_then += one.sent;
  if (!change.removes.empty()) changes.push_back(std::move(change));
}

void sort_by_price(std::vector<WhyChange>& changes, const cost::Cost& now) {
  const auto price = [&](const WhyChange& one) {
    return growth(now.flops_per_processor, one.cost.flops_per_processor) +
           growth(static_cast<double>(now.memory_per_processor()),
                  static_cast<double>(one.cost.memory_per_processor())) +
           growth(static_cast<double>(now.sent_per_processor()),
                  static_cast<double>(one.cost.sent_per_processor()));
  };
  std::stable_sort(changes.begin(), changes.end(),
                   [&](const WhyChange& a, const WhyChange& b) { return price(a) < price(b); });
}

std::string why_listing(const SourceMap& sources, FileId model, const cost::Cost& cost,
                        const std::vector<LineShard>& shards, const LineStages& stages) {
  std::string text =
      fmt::format("{:>5} {:>7} {:>7}{:>{}}\n", "line", "FLOPs", "B sent",
                  stages.empty() ? "" : "stages", stages.empty() ? 0 : stage_columns);
  for (int i = 1; i <= sources.line_count(model); ++i)
    text += listed_line(sources, model, i, cost, shards, stages);
  for (std::size_t f = 0; f < sources.size(); ++f) {
    const FileId file{static_cast<std::int32_t>(f)};
    std::string lines;
    for (int i = 1; file != model && i <= sources.line_count(file); ++i)
      if (is_listed(sources.path(file) + ":" + std::to_string(i), cost, shards))
        lines += listed_line(sources, file, i, cost, shards, stages);
    if (!lines.empty()) text += "\n" + sources.path(file) + "\n" + lines;
  }
  return text;
}

namespace {

std::string split_text(const LineShard::Dim& dim) {
  if (dim.axes.empty())
    return dim.name + " is not split" + (dim.cause.empty() ? "" : ", by " + dim.cause);
  return dim.name + " is split over " + dim.axes + " by " +
         (dim.cause.empty() ? "an operation" : dim.cause);
}

}  // namespace

std::string why_text(const WhyTarget& target, const cost::Cost& cost,
                     const std::vector<LineShard>& shards, const LineStages& stages,
                     const std::vector<WhyChange>& changes) {
  std::string text;
  if (const std::vector<int> own = target.stages(stages); !own.empty())
    text = "in " + std::string(own.size() > 1 ? "stages " : "stage ") + ranges_text(own) + "\n";
  for (const LineShard& shard : shards) {
    if (!target.has(shard)) continue;
    text += wrapped(shard.text() + "  " + shard.source, {0, 4, 80}) + "\n";
    for (const LineShard::Dim& dim : shard.dims)
      text += "  " + wrapped(split_text(dim), {2, 4, 80}) + "\n";
  }
  const std::vector<CollectiveGroup> groups = collectives_of(target, cost);
  if (groups.empty())
    return text + (stages.empty() ? "\nnothing is communicated for it\n"
                                  : "\nno collective is for it; what crosses between stages is not "
                                    "told by line\n");
  text += "\ncollectives, from the rule to what is sent:\n";
  for (std::size_t i = 0; i < groups.size(); ++i) text += chain_of(i + 1, groups[i]);
  return text + (changes.empty() ? "\nnone of them goes away with a single rule\n"
                                 : changes_table(changes, cost));
}

std::string why_json(const cost::Cost& cost, const std::vector<LineShard>& shards,
                     const LineStages& stages) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<std::string>> by_line;
  const auto add = [&](const std::string& source) {
    if (by_line.try_emplace(source).second) order.push_back(source);
  };
  for (const LineShard& shard : shards) {
    if (shard.called) continue;
    add(shard.source);
    by_line[shard.source].push_back(to_json(shard));
  }
  for (const LineCost& line : cost.lines) add(line.source);
  std::vector<std::string> rows;
  for (const std::string& source : order) {
    const LineCost* line = line_cost(cost, source);
    const LineCost figures = line ? *line : LineCost{};
    JsonFields fields = {{"source", json(source)},
                         {"flops", json(figures.flops)},
                         {"bytes_sent", json(figures.sent)},
                         {"collectives", json(figures.collectives)},
                         {"shards", json_array(by_line[source])}};
    if (!stages.empty()) fields.emplace_back("stages", json_list(stages_of(stages, source)));
    rows.push_back(json_object(fields));
  }
  return json_array(rows);
}

JsonFields why_json(const WhyTarget& target, const cost::Cost& cost,
                    const std::vector<LineShard>& shards, const LineStages& stages,
                    const std::vector<WhyChange>& changes) {
  std::vector<std::string> mine, moves, tried;
  for (const LineShard& shard : shards)
    if (target.has(shard)) mine.push_back(to_json(shard));
  for (const CollectiveGroup& group : collectives_of(target, cost)) {
    JsonFields fields = cost::origin_fields(group.first);
    fields.emplace_back("library", json_list(group.library));
    fields.emplace_back("operation", json(group.first.operation));
    fields.emplace_back("count", json(group.count));
    fields.emplace_back("bytes_sent", json(group.sent));
    moves.push_back(json_object(fields));
  }
  for (const WhyChange& one : changes)
    tried.push_back(json_object({{"without", json(one.rule)},
                                 {"removes", json_list(one.removes)},
                                 {"bytes_sent_here", json(one.sent_then)},
                                 {"flops", json(one.cost.flops_per_processor)},
                                 {"memory", json(one.cost.memory_per_processor())},
                                 {"bytes_sent", json(one.cost.sent_per_processor())}}));
  JsonFields fields = {{"source", json(target.source)},
                       {"name", json(target.name)},
                       {"shards", json_array(mine)},
                       {"collectives", json_array(moves)},
                       {"changes", json_array(tried)}};
  if (!stages.empty()) fields.emplace_back("stages", json_list(target.stages(stages)));
  return fields;
}

}  // namespace mtfc::cli
