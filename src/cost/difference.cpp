#include "cost/difference.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace mtfc::cost {
namespace {

template <class Number>
std::string json_both(const Both<Number>& both) {
  return json_object({{"a", json(both.a)}, {"b", json(both.b)}});
}

std::vector<CollectiveDifference> collectives_of(const Cost& a, const Cost& b) {
  std::vector<CollectiveDifference> rows;
  for (const CollectiveGroup& group : grouped(a.collectives))
    rows.push_back({group.first, {group.count, 0}, {group.sent, 0}});
  for (const CollectiveGroup& group : grouped(b.collectives)) {
    auto row = std::find_if(rows.begin(), rows.end(), [&](const CollectiveDifference& one) {
      return is_like(one.first, group.first);
    });
    if (row == rows.end()) row = rows.insert(rows.end(), {group.first, {}, {}});
    row->count.b = group.count;
    row->sent.b = group.sent;
  }
  std::erase_if(rows, [](const auto& row) { return !row.count.differ() && !row.sent.differ(); });
  std::stable_sort(rows.begin(), rows.end(), [](const auto& x, const auto& y) {
    return std::max(x.sent.a, x.sent.b) > std::max(y.sent.a, y.sent.b);
  });
  return rows;
}

/// How far a and b are apart, of the larger of the two over all rows.
template <class Number>
double apart(const Both<Number>& both, double largest) {
  const double difference = static_cast<double>(both.a) - static_cast<double>(both.b);
  return largest > 0 ? std::abs(difference) / largest : 0;
}

class LineTable {
 public:
  std::vector<LineDifference> of(const Cost& a, const Cost& b) {
    add(
        a, [](auto& both) -> auto& { return both.a; });
    add(
        b, [](auto& both) -> auto& { return both.b; });
    std::vector<LineDifference> rows;
    for (const auto& [source, line] : lines_)
      if (line.flops.differ() || line.sent.differ() || line.memory.differ()) rows.push_back(line);
    const double flops = std::max(a.flops_per_processor, b.flops_per_processor);
    const auto sent = static_cast<double>(std::max(a.sent_per_processor(), b.sent_per_processor()));
    const auto memory =
        static_cast<double>(std::max(a.memory_per_processor(), b.memory_per_processor()));
    const auto weight = [&](const LineDifference& line) {
      return apart(line.flops, flops) + apart(line.sent, sent) + apart(line.memory, memory);
    };
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const auto& x, const auto& y) { return weight(x) > weight(y); });
    return rows;
  }

 private:
  template <class Side>
  void add(const Cost& cost, Side side) {
    for (const LineCost& one : cost.lines) {
      side(line(one.source).flops) += one.flops;
      side(line(one.source).sent) += one.sent;
    }
    for (const Alive& one : cost.peak.alive) side(line(one.source).memory) += one.bytes;
  }
  LineDifference& line(const std::string& source) {
    LineDifference& found = lines_[source];
    found.source = source;
    return found;
  }

  std::map<std::string, LineDifference> lines_;
};

}  // namespace

CostDifference difference_of(const Cost& a, const Cost& b) {
  CostDifference found{collectives_of(a, b), LineTable().of(a, b), false};
  found.same = found.collectives.empty() && found.lines.empty() && a.processors == b.processors &&
               a.memory_per_processor() == b.memory_per_processor() &&
               a.repeated_flops() == b.repeated_flops();
  return found;
}

JsonFields json_fields(const CostDifference& difference) {
  std::vector<std::string> collectives, lines;
  for (const CollectiveDifference& one : difference.collectives) {
    JsonFields fields = origin_fields(one.first);
    fields.emplace_back("count", json_both(one.count));
    fields.emplace_back("bytes_sent", json_both(one.sent));
    collectives.push_back(json_object(fields));
  }
  for (const LineDifference& one : difference.lines)
    lines.push_back(json_object({{"source", json(one.source)},
                                 {"flops", json_both(one.flops)},
                                 {"bytes_sent", json_both(one.sent)},
                                 {"memory", json_both(one.memory)}}));
  return {{"same", json(difference.same)},
          {"collectives", json_array(collectives)},
          {"lines", json_array(lines)}};
}

}  // namespace mtfc::cost
