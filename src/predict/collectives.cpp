#include "predict/collectives.h"

#include <algorithm>
#include <cmath>

namespace mtfc::predict {
namespace {

using Exchange = runtime::ExchangeSpec::Kind;

/// One level's formulas; n: units of the group.
class OneLevel {
 public:
  explicit OneLevel(const GroupLevel& group)
      : level_(*group.level), n_(static_cast<double>(group.units)), rate_(rate(group)) {}

  /// Of `bytes` of operand. An all-gather of `bytes` of result is the same backwards.
  double reduce_scatter(double bytes) const { return all_gather(bytes) + adding(bytes); }
  double all_gather(double bytes) const {
    return steps() * level_.latency + (n_ - 1) / n_ * bytes / rate_;
  }
  double all_reduce(double bytes) const {
    if (level_.topology == Topology::tree)
      return 2 * steps() * level_.latency + 2 * bytes / rate_ + adding(bytes);
    return reduce_scatter(bytes) + all_gather(bytes);
  }
  double all_to_all(double bytes) const {
    const double messages = (n_ - 1) * level_.latency;
    if (level_.topology == Topology::switched) return messages + (n_ - 1) / n_ * bytes / rate_;
    // What goes from one half of the units to the other, over the links between the halves.
    const double crossing = std::floor(n_ * n_ / 4) / n_ * bytes;
    return messages + crossing / (rate_ * links_between_halves());
  }
  double permute(double bytes) const {
    if (level_.topology == Topology::switched) return level_.latency + bytes / rate_;
    return std::floor(n_ / 2) * level_.latency +
           std::floor(n_ / 2) * bytes / (rate_ * links_between_halves());
  }

 private:
  bool is_grid() const {
    return level_.topology == Topology::ring || level_.topology == Topology::torus;
  }
  /// Dimensions of a torus that the group extends along, and its units along one of them.
  double dims() const {
    return std::clamp<double>(std::floor(std::log2(n_)), 1, static_cast<double>(level_.dims));
  }
  double side() const { return std::pow(n_, 1 / dims()); }

  /// Each processor adds up what belongs to it.
  double adding(double bytes) const {
    return level_.sum_rate > 0 ? (n_ - 1) / n_ * bytes / level_.sum_rate : 0;
  }
  /// Messages one after the other in a reduce-scatter.
  double steps() const {
    if (is_grid()) return dims() * (side() - 1);
    return std::ceil(std::log2(n_));
  }
  /// Links between two halves of the units, for each of those that `rate` counts.
  double links_between_halves() const { return is_grid() ? n_ / side() / dims() : 1; }

  /// Bytes a second that a processor can send in a ring over the group. Groups that lie between
  /// each other on a ring or a tree share its links; a ring that closes is used in both directions.
  double rate(const GroupLevel& group) const {
    double rate = level_.bandwidth * level_.efficiency / static_cast<double>(group.sharers);
    if (level_.topology == Topology::switched) return rate;
    rate /= static_cast<double>(group.span) / n_;
    if (!is_grid()) return rate;
    const bool closes = group.span == level_.size && side() > 2;
    return rate * dims() * (closes ? 2 : 1);
  }

  const Level& level_;
  double n_, rate_;
};

}  // namespace

std::vector<GroupLevel> group_levels(const std::vector<AxisId>& axes, const Machine& machine,
                                     const Mapping& mapping) {
  std::vector<GroupLevel> group;
  for (std::size_t i = 0; i < mapping.size(); ++i) {
    GroupLevel at{&machine.levels[i], 1, 1, std::min(machine.levels[i].sharers, mapping[i].inside)};
    for (const AxisPart& part : mapping[i].parts) {
      if (std::find(axes.begin(), axes.end(), part.axis) == axes.end()) continue;
      at.units *= part.size;
      at.span = part.stride * part.size;
    }
    if (at.units > 1) group.push_back(at);
  }
  return group;
}

double collective_seconds(Exchange kind, double bytes, const std::vector<GroupLevel>& group) {
  double seconds = 0;
  // Inside first: what a level has added up or still has to gather is a part of the whole.
  for (std::size_t i = 0; i < group.size(); ++i) {
    const OneLevel level(group[i]);
    const bool outermost = i + 1 == group.size();
    switch (kind) {
      case Exchange::all_reduce:
        seconds += outermost ? level.all_reduce(bytes)
                             : level.reduce_scatter(bytes) + level.all_gather(bytes);
        bytes /= static_cast<double>(group[i].units);
        break;
      case Exchange::reduce_scatter:
      case Exchange::all_gather:
        seconds +=
            kind == Exchange::all_gather ? level.all_gather(bytes) : level.reduce_scatter(bytes);
        bytes /= static_cast<double>(group[i].units);
        break;
      case Exchange::all_to_all:
        seconds += level.all_to_all(bytes);
        break;
      case Exchange::permute:
        if (outermost) seconds += level.permute(bytes);
        break;
    }
  }
  return seconds;
}

}  // namespace mtfc::predict
