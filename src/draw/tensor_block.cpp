#include "draw/tensor_block.h"

#include <algorithm>
#include <optional>

#include "draw/holders.h"
#include "support/text.h"

namespace mtfc::draw {
namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);
constexpr std::int64_t gap = -1;  // in the place of parts that are not shown
constexpr std::size_t widest_text = 22;

/// The first parts and the last one.
std::vector<std::int64_t> shown_parts(std::int64_t count, std::int64_t most) {
  std::vector<std::int64_t> shown;
  const std::int64_t first = count <= most ? count : std::max<std::int64_t>(most - 2, 1);
  for (std::int64_t i = 0; i < first; ++i) shown.push_back(i);
  if (count > most) {
    shown.push_back(gap);
    shown.push_back(count - 1);
  }
  return shown;
}

class Block {
 public:
  Block(const DimTable& dims, const Mesh& mesh, std::string name, const ShardType& type,
        const BlockStyle& style)
      : dims_(dims), mesh_(mesh), name_(std::move(name)), type_(type), style_(style) {
    choose_sides();
    extents_ = shard_extents(dims, mesh, type);
  }

  Picture make() {
    Picture all;
    all.title = name_;
    all.add(Text{0, 0, heading(), Text::Style::title});
    all.width = static_cast<double>(heading().size());
    all.height = 1;
    std::vector<Picture> panels;
    for (const std::int64_t panel : shown_parts(panel_count(), style_.most / 2)) {
      if (panel == gap)
        panels.push_back(ellipsis());
      else
        panels.push_back(panel_picture(panel));
    }
    all.add(in_rows(panels, 150), 0, 1);
    add_notes(all);
    return all;
  }

 private:
  // ------------------------------------------------------------ what is shown
  std::size_t rank() const { return type_.tensor.dims.size(); }
  std::int64_t count(std::size_t i) const {
    return i == none ? 1 : shard_count(mesh_, type_.sharding, i);
  }
  /// Without padding.
  DimId dim(std::size_t i) const { return stored_dim(dims_, type_.tensor.dims[i]); }
  std::int64_t size(std::size_t i) const { return dims_.size(dim(i)); }
  const std::string& dim_name(std::size_t i) const { return dims_.name(dim(i)); }

  /// Sides are the first two that are split; else the largest others, in the tensor's order.
  void choose_sides() {
    std::vector<std::size_t> order(rank());
    for (std::size_t i = 0; i < rank(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const bool split_a = count(a) > 1, split_b = count(b) > 1;
      return split_a != split_b ? split_a : !split_a && size(a) > size(b);
    });
    std::vector<std::size_t> sides(
        order.begin(),
        order.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(order.size(), 2)));
    std::sort(sides.begin(), sides.end());
    if (sides.size() == 2) rows_ = sides[0];
    if (!sides.empty()) columns_ = sides.back();
    for (std::size_t i = 0; i < rank(); ++i) {
      if (i == rows_ || i == columns_) continue;
      (count(i) > 1 ? panels_ : rest_).push_back(i);
    }
  }
  std::int64_t panel_count() const {
    std::int64_t all = 1;
    for (const std::size_t i : panels_) all *= count(i);
    return all;
  }

  // ------------------------------------------------------------ words
  std::string heading() const {
    const TensorType stored{type_.tensor.dtype, stored_dims(dims_, type_.tensor.dims)};
    return name_ + "  " + to_string(dims_, stored);
  }
  /// "hidden over cols"
  std::string side(std::size_t i) const {
    if (i == none) return "";
    const std::vector<AxisId>& axes = type_.sharding.split[i];
    return dim_name(i) + (axes.empty() ? "" : " over " + to_string(mesh_, axes));
  }
  /// "256-511"
  std::string range(std::size_t i, std::int64_t part) const {
    if (i == none) return "";
    const std::int64_t begin = part * extents_[i], end = std::min(begin + extents_[i], size(i));
    if (begin >= end) return "padding";
    return end - begin == 1 ? std::to_string(begin)
                            : std::to_string(begin) + "-" + std::to_string(end - 1);
  }
  ShardIndex shard_at(std::int64_t row, std::int64_t column, std::int64_t panel) const {
    ShardIndex index(rank(), 0);
    if (rows_ != none) index[rows_] = row;
    if (columns_ != none) index[columns_] = column;
    for (std::size_t i = panels_.size(); i-- > 0;) {
      index[panels_[i]] = panel % count(panels_[i]);
      panel /= count(panels_[i]);
    }
    return index;
  }

  // ------------------------------------------------------------ pictures
  static Picture ellipsis() {
    Picture dots;
    dots.add(Text{0, 4, "...", Text::Style::faint});
    dots.width = 3;
    dots.height = 5;
    return dots;
  }

  /// What all shards have in common, so that they look alike.
  struct Grid {
    std::vector<std::int64_t> rows, columns;
    double left = 0, width = 0, height = 0;  // left: of the first part; of one part
  };
  Grid grid(std::int64_t panel) const {
    Grid g{shown_parts(count(rows_), style_.most), shown_parts(count(columns_), style_.most)};
    std::size_t text = 4;
    for (const std::int64_t row : g.rows) {
      g.left = std::max(g.left, static_cast<double>(row == gap ? 0 : range(rows_, row).size() + 1));
      for (const std::int64_t column : g.columns)
        if (row != gap && column != gap)
          text = std::max(
              {text, range(columns_, column).size(),
               holders_text(mesh_, type_, shard_at(row, column, panel), widest_text).size()});
    }
    g.width = static_cast<double>(text) + 3;
    if (g.columns.size() == 1) g.width = std::max(g.width, 12.0);
    g.height = g.rows.size() == 1 ? 4 : 2;
    return g;
  }

  Picture panel_picture(std::int64_t panel) const {
    const Grid g = grid(panel);
    Picture one;
    one.add(Text{0, 0, sides_text(panel), Text::Style::faint});
    one.width = static_cast<double>(sides_text(panel).size());
    double y = 2;
    for (const std::int64_t row : g.rows) {
      if (row == gap) {
        one.add(Text{g.left + 1, y + 1, "...", Text::Style::faint});
        y += 3;
        continue;
      }
      one.add(Text{g.left - 1, y + g.height / 2, range(rows_, row), Text::Style::faint,
                   Text::Anchor::end});
      add_row(one, g, row, panel, y);
      y += g.height;
    }
    one.height = y + 1;
    return one;
  }

  void add_row(Picture& one, const Grid& g, std::int64_t row, std::int64_t panel, double y) const {
    double x = g.left;
    for (const std::int64_t column : g.columns) {
      const double middle = x + g.width / 2;
      if (column == gap) {
        one.add(Text{x + 2, y + g.height / 2, "...", Text::Style::faint});
        x += 6;
        continue;
      }
      if (row == g.rows.front())
        one.add(Text{middle, 1, range(columns_, column), Text::Style::faint, Text::Anchor::middle});
      const ShardIndex index = shard_at(row, column, panel);
      const Holders held = holders(mesh_, type_, index);
      const auto colour = static_cast<int>(held.ranks.front() % 8);
      one.add(Box{x, y, g.width, g.height, colour, true, style_.outline && held.ranks.front() == 0,
                  counted(held.count, "rank") + ": " + ranks_text(held, 60)});
      one.add(Text{middle, y + g.height / 2, holders_text(mesh_, type_, index, widest_text),
                   Text::Style::plain, Text::Anchor::middle});
      x += g.width;
    }
    one.width = std::max(one.width, x + 1);
  }

  /// "batch over rows (down), hidden over cols", and which panel of several it is.
  std::string sides_text(std::int64_t panel) const {
    std::string text = columns_ == none ? "one number" : side(columns_);
    if (rows_ != none) text = side(rows_) + " down, " + text + " across";
    const ShardIndex index = shard_at(0, 0, panel);
    const std::string which =
        joined(panels_, "; ", [&](std::size_t i) { return side(i) + " " + range(i, index[i]); });
    if (which.empty()) return text;
    return panel == 0 ? text + "; " + which : which;
  }

  void add_notes(Picture& all) const {
    std::vector<std::string> notes;
    if (!rest_.empty())
      notes.push_back("each with all of " + joined(rest_, ", ", [&](std::size_t i) {
                        return dim_name(i) + "=" + std::to_string(size(i));
                      }));
    if (type_.sharding.is_partial())
      notes.push_back("each rank has a part of a " +
                      std::string(type_.sharding.combine == Combine::sum ? "sum" : "maximum") +
                      " over " + to_string(mesh_, type_.sharding.partial));
    for (const std::string& note : notes) {
      all.add(Text{0, all.height, note, Text::Style::faint});
      all.width = std::max(all.width, static_cast<double>(note.size()));
      ++all.height;
    }
  }

  const DimTable& dims_;
  const Mesh& mesh_;
  const std::string name_;
  const ShardType& type_;
  const BlockStyle style_;
  std::size_t rows_ = none, columns_ = none;  // dimensions that are sides
  std::vector<std::size_t> panels_, rest_;    // of the others: split, and not
  std::vector<std::int64_t> extents_;
};

}  // namespace

Picture tensor_block(const DimTable& dims, const Mesh& mesh, const std::string& name,
                     const ShardType& type, const BlockStyle& style) {
  return Block(dims, mesh, name, type, style).make();
}

}  // namespace mtfc::draw
