#include "draw/flow_picture.h"

#include <algorithm>

#include "cost/collective_groups.h"
#include "draw/line_graph.h"
#include "draw/operation_picture.h"
#include "support/figures.h"
#include "support/text.h"

namespace mtfc::draw {
namespace {

using cost::CollectiveGroup;

constexpr int most_lanes = 10;  // what would need more is connected to its end alone

std::string bytes_text(std::int64_t bytes) { return scaled(static_cast<double>(bytes), "B"); }

std::string fitted(const std::string& text, double columns) {
  const auto width = static_cast<std::size_t>(std::max(columns, 8.0));
  return text.size() <= width ? text : text.substr(0, width - 3) + "...";
}

int colour_of(const StepScale& scale, const std::string& rule) {
  return static_cast<int>(std::find(scale.rules.begin(), scale.rules.end(), rule) -
                          scale.rules.begin());
}

/// The rules that send anything, with how much.
Picture legend(const StepScale& scale, const std::vector<CollectiveGroup>& groups, double columns) {
  Picture all;
  for (const std::string& rule : scale.rules) {
    std::int64_t sent = 0, count = 0;
    for (const CollectiveGroup& group : groups) {
      sent += group.first.cause == rule ? group.sent : 0;
      count += group.first.cause == rule ? group.count : 0;
    }
    if (count == 0) continue;
    const std::string text = (rule.empty() ? "no rule" : rule) + ": " + bytes_text(sent) + " in " +
                             counted(count, "collective");
    all.add(Box{0, all.height + 0.2, 2, 0.6, colour_of(scale, rule), false});
    all.add(Text{3, all.height, fitted(text, columns - 3)});
    ++all.height;
  }
  return all;
}

class Flow {
 public:
  Flow(const Module& module, const cost::Cost& cost, const std::vector<cost::LineShard>& shards,
       const SourceMap& sources, const StepScale& scale, double columns)
      : shards_(shards),
        sources_(sources),
        columns_(columns),
        groups_(cost::grouped(cost.collectives)),
        scale_(scale),
        lines_(line_graph(module, sources)),
        lanes_(lanes_of(lines_)) {
    for (const int lane : lanes_)
      lane_count_ = std::max(lane_count_, std::min(lane + 1, most_lanes));
    left_ = 2.0 * lane_count_ + 2;
  }

  Picture make() {
    all_.title = "data flow of a step";
    all_.add(Text{0, 0, "Data flow of a step, with what each processor sends", Text::Style::title});
    all_.add(legend(scale_, groups_, columns_), 0, 1);
    for (const GraphLine& line : lines_) add_line(line);
    add_connections();
    add_rest();
    all_.width = std::max(all_.width, columns_);
    return std::move(all_);
  }

 private:
  /// A line: its text, what it makes, what it takes from below, what is communicated for it.
  void add_line(const GraphLine& line) {
    const std::string& source = line.source;
    double y = all_.height + 1;
    tops_.push_back(y);
    const std::string where = source_in(source, 16);
    const std::string times = line.instances > 1 ? std::to_string(line.instances) + " x  " : "";
    all_.add(Text{left_, y, where, Text::Style::faint});
    const double x = left_ + static_cast<double>(where.size()) + 2;
    all_.add(
        Text{x, y, fitted(times + source_line(sources_, source), columns_ - x), Text::Style::code});
    for (const cost::LineShard& shard : shards_)
      if (!shard.called && shard.source == source)
        all_.add(Text{left_ + 2, ++y, fitted("= " + shard.text(), columns_ - left_ - 2)});
    const bool connected = drawn_.size() < lines_.size();
    if (y == tops_.back() && connected) ++y;  // where its connection begins
    if (!line.below.empty()) add_below(line, ++y);
    for (const CollectiveGroup& group : groups_)
      if (group.first.source == source) add_collective(group, ++y);
    all_.height = y + 1;
    drawn_.push_back(source);
  }

  /// What instances of a block take from instances before them.
  void add_below(const GraphLine& line, double y) {
    std::vector<std::string> makers;
    for (const std::size_t maker : line.below)
      makers.push_back(source_in(lines_[maker].source, 16));
    const std::string text = "also takes from below: " + joined(makers, ", ");
    all_.add(Text{left_ + 2, y, fitted(text, columns_ - left_ - 2), Text::Style::faint});
  }

  void add_collective(const CollectiveGroup& group, double y) {
    const int colour = colour_of(scale_, group.first.cause);
    const std::string text = group.first.phase + ": " + std::to_string(group.count) + " " +
                             group.first.kind + " over " + group.first.axes + ", " +
                             bytes_text(group.sent) + " sent";
    const double width = std::min(static_cast<double>(text.size()) + 3, columns_ - left_ - 2);
    all_.add(Box{left_ + 2, y + 0.1, 2, 0.8, colour, false, false,
                 group.first.cause + "; for " + group.first.operation});
    all_.add(Text{left_ + 5, y, fitted(text, width + 2)});
  }

  /// From the second row of a line to the first ones of those that need it.
  void add_connections() {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (lanes_[i] < 0) continue;
      const bool alone = lanes_[i] < most_lanes;
      const double x = 2.0 * (lane_count_ - 1 - std::min(lanes_[i], most_lanes - 1));
      const double from = tops_[i] + 1;
      all_.add(Line{left_ - 1, from, x, from});
      all_.add(Line{x, from, x, tops_[*lines_[i].users.rbegin()], no_fill, false, !alone});
      for (const std::size_t user : lines_[i].users)
        all_.add(Line{x, tops_[user], left_ - 1, tops_[user], no_fill, true});
    }
  }

  /// Collectives at lines that compute nothing in the forward pass: parameters, the optimiser.
  void add_rest() {
    bool first = true;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const std::string& source = groups_[i].first.source;
      if (std::find(drawn_.begin(), drawn_.end(), source) != drawn_.end()) continue;
      if (first)
        all_.add(Text{left_, all_.height + 1, "Parameters and update", Text::Style::title});
      if (first) all_.height += 2;
      first = false;
      add_line({source, {}, {}, 1});
    }
  }

  const std::vector<cost::LineShard>& shards_;
  const SourceMap& sources_;
  const double columns_;
  const std::vector<CollectiveGroup> groups_;
  const StepScale& scale_;
  const std::vector<GraphLine> lines_;
  const std::vector<int> lanes_;
  int lane_count_ = 0;
  double left_ = 0;                 // where text begins
  std::vector<double> tops_;        // rows, by line
  std::vector<std::string> drawn_;  // sources
  Picture all_;
};

}  // namespace

Picture flow_picture(const Module& module, const cost::Cost& cost,
                     const std::vector<cost::LineShard>& shards, const SourceMap& sources,
                     const StepScale& scale, double columns) {
  return Flow(module, cost, shards, sources, scale, std::min(columns, 110.0)).make();
}

}  // namespace mtfc::draw
