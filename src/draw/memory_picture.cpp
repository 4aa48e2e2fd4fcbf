#include "draw/memory_picture.h"

#include <algorithm>
#include <array>

#include "bind/bind.h"
#include "support/figures.h"

namespace mtfc::draw {
namespace {

using cost::Alive;
using cost::all_memory_roles;
using cost::LiveBuffer;

constexpr std::size_t role_count = std::size(all_memory_roles);
constexpr double chart_height = 16, axis_width = 9;
constexpr std::size_t most_alive = 12;

std::string bytes_text(double bytes) { return scaled(bytes, "B"); }

/// One instruction.
struct Moment {
  std::array<double, role_count> bytes{};
  Phase phase = Phase::forward;

  /// Of the roles before this one.
  double below(std::size_t role) const {
    double sum = 0;
    for (std::size_t i = 0; i < role; ++i) sum += bytes[i];
    return sum;
  }
  double total() const { return below(role_count); }
};

std::vector<Moment> moments_of(const Module& module, const SourceMap& sources) {
  std::array<double, role_count> variables{};
  for (const Alive& one : cost::alive_variables(module, sources))
    variables[static_cast<std::size_t>(one.role)] += static_cast<double>(one.bytes);
  std::vector<Moment> moments;
  for (const auto& [program, times] : counted_programs(module)) {
    const std::vector<bind::Bound> bound = bind::bind_all({module.dims, module.mesh}, *program);
    const cost::LiveBuffers buffers(module, *program, bound, sources);
    const std::size_t first = moments.size();
    for (const Instruction& at : program->instructions)
      moments.push_back({variables, at.origin.phase});
    for (std::size_t role = 0; role < role_count; ++role) {
      const std::vector<std::int64_t> used = buffers.in_use(
          [&](const LiveBuffer& each) { return each.role == all_memory_roles[role]; });
      for (std::size_t i = first; i < moments.size(); ++i)
        moments[i].bytes[role] += static_cast<double>(used[i - first]);
    }
  }
  return moments;
}

/// As many as there is room for: of several instructions the one with the most in use.
std::vector<Moment> thinned(const std::vector<Moment>& all, std::size_t count) {
  if (all.size() <= count) return all;
  std::vector<Moment> some;
  for (std::size_t i = 0; i < count; ++i) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(i * all.size() / count);
    const auto end = all.begin() + static_cast<std::ptrdiff_t>((i + 1) * all.size() / count);
    some.push_back(*std::max_element(
        begin, end, [](const Moment& a, const Moment& b) { return a.total() < b.total(); }));
  }
  return some;
}

/// Stacked areas over a step, with an axis of bytes and the phases below.
class Chart {
 public:
  Chart(std::vector<Moment> moments, double most, double columns)
      : moments_(std::move(moments)), width_(columns - axis_width - 2), most_(most) {
    for (const Moment& moment : moments_) most_ = std::max(most_, moment.total());
  }

  Picture make() {
    for (const double share : {0.0, 0.5, 1.0})
      picture_.add(Text{axis_width - 1, y(share * most_) - (share > 0 ? 0 : 1),
                        bytes_text(share * most_), Text::Style::faint, Text::Anchor::end});
    for (std::size_t role = 0; role < role_count; ++role) add_role(role);
    // Half a character up: below the areas, which end at the edge of theirs.
    picture_.add(
        Line{axis_width - 0.5, chart_height - 0.5, axis_width + width_ - 0.5, chart_height - 0.5});
    add_phases();
    picture_.width = axis_width + width_ + 1;
    picture_.height = chart_height + 2;
    return picture_;
  }

 private:
  double x(std::size_t moment) const {
    return axis_width + width_ * static_cast<double>(moment) / static_cast<double>(moments_.size());
  }
  double y(double bytes) const {
    return most_ > 0 ? chart_height * (1 - bytes / most_) : chart_height;
  }

  /// Of a role what lies at one height through several moments is one area.
  void add_role(std::size_t role) {
    for (std::size_t first = 0, i = 1; i <= moments_.size(); ++i) {
      if (i < moments_.size() && moments_[i].bytes[role] == moments_[first].bytes[role] &&
          moments_[i].below(role) == moments_[first].below(role))
        continue;
      const Moment& moment = moments_[first];
      const double below = moment.below(role), above = below + moment.bytes[role];
      if (above > below)
        picture_.add(
            Box{x(first), y(above), x(i) - x(first), y(below) - y(above), static_cast<int>(role),
                false, false,
                std::string(name(all_memory_roles[role])) + " " + bytes_text(moment.bytes[role])});
      first = i;
    }
  }

  /// Names of stretches that are long enough for them.
  void add_phases() {
    for (std::size_t first = 0, i = 1; i <= moments_.size(); ++i) {
      if (i < moments_.size() && moments_[i].phase == moments_[first].phase) continue;
      const std::string text(name(moments_[first].phase));
      if (x(i) - x(first) > static_cast<double>(text.size()))
        picture_.add(Text{x(first), chart_height + 1, text, Text::Style::faint});
      first = i;
    }
  }

  const std::vector<Moment> moments_;
  const double width_;
  double most_ = 0;
  Picture picture_;
};

/// The roles that have anything, each with its colour and what it has at the peak.
void add_legend(Picture& all, const std::vector<Moment>& moments, const cost::Cost& cost,
                double columns) {
  double x = 0, y = all.height + 1;
  all.add(Text{x, y++, "at the peak:", Text::Style::faint});
  for (std::size_t role = 0; role < role_count; ++role) {
    const bool any = std::any_of(moments.begin(), moments.end(),
                                 [&](const Moment& moment) { return moment.bytes[role] > 0; });
    if (!any) continue;
    const std::string text =
        std::string(name(all_memory_roles[role])) + " " +
        bytes_text(static_cast<double>(cost.peak.in_use(all_memory_roles[role])));
    const double width = static_cast<double>(text.size()) + 6;
    if (x > 0 && x + width > columns) {
      x = 0;
      ++y;
    }
    all.add(Box{x, y + 0.2, 2, 0.6, static_cast<int>(role), false});
    all.add(Text{x + 3, y, text});
    x += width;
  }
  all.height = y + 1;
}

void add_alive(Picture& all, const cost::MemoryPeak& peak, double columns) {
  double y = all.height + 1;
  all.add(Text{0, y++,
               "Alive at the peak, " + bytes_text(static_cast<double>(peak.in_use())) + " in " +
                   peak.phase + (peak.source.empty() ? "" : " of " + peak.source),
               Text::Style::title});
  for (std::size_t i = 0; i < std::min(peak.alive.size(), most_alive); ++i, ++y) {
    const Alive& one = peak.alive[i];
    const std::string count = one.count > 1 ? std::to_string(one.count) + " x" : "";
    all.add(Text{8, y, bytes_text(static_cast<double>(one.bytes)), Text::Style::plain,
                 Text::Anchor::end});
    all.add(Box{9, y + 0.2, 2, 0.6, static_cast<int>(one.role), false});
    all.add(Text{17, y, count, Text::Style::faint, Text::Anchor::end});
    all.add(Text{18, y, name_at(one.name, one.source, static_cast<std::size_t>(columns) - 18)});
  }
  if (peak.alive.size() > most_alive)
    all.add(Text{18, y++, "and " + std::to_string(peak.alive.size() - most_alive) + " more",
                 Text::Style::faint});
  all.height = y;
}

}  // namespace

Picture memory_picture(const Module& module, const cost::Cost& cost, const SourceMap& sources,
                       const StepScale& scale, double columns) {
  const std::vector<Moment> moments = moments_of(module, sources);
  const double width = std::min(columns, 100.0);
  Picture all;
  all.title = "memory of a processor over a step";
  all.add(Text{0, 0, "Memory of a processor over a step, by instruction", Text::Style::title});
  const auto most = static_cast<std::size_t>(2 * width);
  all.add(Chart(thinned(moments, most), scale.most_bytes, width).make(), 0, 2);
  add_legend(all, moments, cost, width);
  add_alive(all, cost.peak, width);
  return all;
}

}  // namespace mtfc::draw
