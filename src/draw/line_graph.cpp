#include "draw/line_graph.h"

#include <algorithm>
#include <map>

namespace mtfc::draw {
namespace {

class GraphBuilder {
 public:
  explicit GraphBuilder(const SourceMap& sources) : sources_(sources) {}

  void add(const Program& program) {
    std::map<ValueId, std::size_t> makers;  // line by value
    for (const Instruction& at : program.instructions) {
      const bool shown = at.origin.phase == Phase::forward && at.origin.span.valid() &&
                         variable_of(at.kind) == nullptr;
      if (!shown) continue;
      const std::size_t line = number_of(source_text(sources_, at.origin.span));
      blocks_[line].insert(at.role.block);
      if (!is_collective(at.kind) && !std::holds_alternative<Wait>(at.kind)) computes_[line] = true;
      for (ValueId operand : at.operands)
        if (const auto made = makers.find(operand); made != makers.end())
          connect(made->second, line);
      for (ValueId result : at.results) makers[result] = line;
    }
  }

  /// Without lines where parameters are only gathered: nearly all others need those.
  std::vector<GraphLine> take() const {
    std::vector<std::size_t> numbers(lines_.size(), 0);
    for (std::size_t i = 1; i < lines_.size(); ++i)
      numbers[i] = numbers[i - 1] + (computes_[i - 1] ? 1 : 0);
    std::vector<GraphLine> taken;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (!computes_[i]) continue;
      taken.push_back({lines_[i].source, {}, {}, static_cast<std::int64_t>(blocks_[i].size())});
      for (const std::size_t user : lines_[i].users)
        if (computes_[user]) taken.back().users.insert(numbers[user]);
      for (const std::size_t maker : lines_[i].below)
        if (computes_[maker]) taken.back().below.insert(numbers[maker]);
    }
    return taken;
  }

 private:
  void connect(std::size_t maker, std::size_t user) {
    if (maker < user) lines_[maker].users.insert(user);
    if (maker > user) lines_[user].below.insert(maker);
  }

  std::size_t number_of(const std::string& source) {
    const auto [at, fresh] = numbers_.try_emplace(source, lines_.size());
    if (fresh) {
      lines_.push_back({source, {}, {}, 0});
      blocks_.emplace_back();
      computes_.push_back(false);
    }
    return at->second;
  }

  const SourceMap& sources_;
  std::vector<GraphLine> lines_;
  std::vector<std::set<std::string>> blocks_;  // by line
  std::vector<bool> computes_;                 // by line: not only what moves
  std::map<std::string, std::size_t> numbers_;
};

}  // namespace

std::vector<GraphLine> line_graph(const Module& module, const SourceMap& sources) {
  GraphBuilder graph(sources);
  for (const auto& [program, times] : counted_programs(module)) graph.add(*program);
  return graph.take();
}

std::vector<int> lanes_of(const std::vector<GraphLine>& lines) {
  std::vector<int> lanes(lines.size(), -1);
  // Short connections first: they lie next to the lines.
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (!lines[i].users.empty()) order.push_back(i);
  const auto length = [&](std::size_t i) { return *lines[i].users.rbegin() - i; };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return length(a) < length(b); });
  std::vector<std::vector<std::size_t>> taken;  // by lane: lines whose connection is there
  for (const std::size_t i : order) {
    const auto overlaps = [&](std::size_t other) {
      return i < *lines[other].users.rbegin() && other < *lines[i].users.rbegin();
    };
    std::size_t lane = 0;
    while (lane < taken.size() && std::any_of(taken[lane].begin(), taken[lane].end(), overlaps))
      ++lane;
    if (lane == taken.size()) taken.emplace_back();
    taken[lane].push_back(i);
    lanes[i] = static_cast<int>(lane);
  }
  return lanes;
}

}  // namespace mtfc::draw
