#include <algorithm>
#include <cmath>

#include "draw/picture.h"
#include "messages/display.h"

namespace mtfc::draw {
namespace {

/// Sides of a character that a border runs to.
enum Side : unsigned { up = 1, down = 2, left = 4, right = 8 };

/// By sides.
constexpr const char* borders[] = {" ", "│", "│", "│", "─", "┘", "┐", "┤",
                                   "─", "└", "┌", "├", "─", "┴", "┬", "┼"};
constexpr const char* areas[] = {"█", "▓", "▒", "=", "#", "░", "+", "."};

int whole(double value) { return static_cast<int>(std::lround(value)); }

class Canvas {
 public:
  Canvas(double width, double height)
      : width_(std::max(whole(std::ceil(width)), 1)),
        height_(std::max(whole(std::ceil(height)), 1)),
        cells_(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_)) {}

  void put(const Box& box) {
    const int x1 = whole(box.x), y1 = whole(box.y), x2 = whole(box.x + box.width),
              y2 = whole(box.y + box.height);
    const char* area = areas[static_cast<std::size_t>(std::max(box.fill, 0)) % std::size(areas)];
    const int border = box.border ? 1 : 0;
    if (!box.border || box.shaded)
      for (int y = y1 + border; y < y2; ++y)
        for (int x = x1 + border; x < x2; ++x) set(x, y, area);
    if (!box.border) return;
    across(x1, x2, y1);
    across(x1, x2, y2);
    along(x1, y1, y2);
    along(x2, y1, y2);
  }

  void put(const Line& line) {
    const int x1 = whole(line.x1), y1 = whole(line.y1), x2 = whole(line.x2), y2 = whole(line.y2);
    if (y1 == y2)
      across(std::min(x1, x2), std::max(x1, x2), y1);
    else
      along(x1, std::min(y1, y2), std::max(y1, y2));
    if (line.arrow) set(x2, y2, x2 > x1 ? ">" : x2 < x1 ? "<" : y2 >= y1 ? "v" : "^");
  }

  void put(const Text& text) {
    const int columns = static_cast<int>(display_width(text.text));
    int x = whole(text.x);
    if (text.anchor == Text::Anchor::middle) x = whole(text.x + 0.5 - columns / 2.0);
    if (text.anchor == Text::Anchor::end) x = whole(text.x) - columns;
    int column = x;
    for (std::size_t at = 0; at < text.text.size();) {
      const Glyph glyph = glyph_at(text.text, at, static_cast<std::size_t>(column - x));
      set(column, whole(text.y), std::string(glyph.shown));
      for (std::size_t i = 1; i < glyph.columns; ++i)
        set(column + static_cast<int>(i), whole(text.y), "");
      column += static_cast<int>(glyph.columns);
      at += glyph.bytes;
    }
  }

  std::string text() const {
    std::string all;
    for (int y = 0; y < height_; ++y) {
      std::string line;
      for (int x = 0; x < width_; ++x) {
        const Cell& cell = cells_[index(x, y)];
        line += cell.is_text ? cell.text : borders[cell.sides];
      }
      all += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return all;
  }

 private:
  struct Cell {
    unsigned sides = 0;
    bool is_text = false;
    std::string text = {};
  };

  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
           static_cast<std::size_t>(x);
  }
  bool inside(int x, int y) const { return x >= 0 && y >= 0 && x < width_ && y < height_; }
  void set(int x, int y, std::string text) {
    if (inside(x, y)) cells_[index(x, y)] = {0, true, std::move(text)};
  }
  void side(int x, int y, unsigned sides) {
    if (inside(x, y)) cells_[index(x, y)].sides |= sides;
  }
  void across(int x1, int x2, int y) {
    for (int x = x1; x < x2; ++x) {
      side(x, y, right);
      side(x + 1, y, left);
    }
  }
  void along(int x, int y1, int y2) {
    for (int y = y1; y < y2; ++y) {
      side(x, y, down);
      side(x, y + 1, up);
    }
  }

  int width_, height_;
  std::vector<Cell> cells_;
};

}  // namespace

std::string to_text(const Picture& picture) {
  Canvas canvas(picture.width + 1, picture.height);
  for (const Box& box : picture.boxes) canvas.put(box);
  for (const Line& line : picture.lines) canvas.put(line);
  for (const Text& text : picture.texts) canvas.put(text);
  return canvas.text();
}

}  // namespace mtfc::draw
