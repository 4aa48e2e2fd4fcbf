// Pictures as boxes, lines and texts on a grid of characters, so that one description serves both
// SVG and the terminal. x counts columns, y rows; a whole number is the middle of a character where
// a border or a line runs, and the left edge of its cell where text or a filled area begins.
#pragma once
#include <string>
#include <vector>

namespace mtfc::draw {

/// Numbers of a palette, from 0; further ones begin again.
constexpr int no_fill = -1;

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
  int fill = no_fill;
  bool border = true;  // without one it is an area
  bool strong = false;
  std::string tip = {};  // what SVG shows beside the pointer
  bool shaded = false;   // as characters, too, the inside of the border shows the fill
};

/// Along x or along y.
struct Line {
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
  int colour = no_fill;  // no_fill: the text's
  bool arrow = false, dashed = false;
};

struct Text {
  enum class Anchor { start, middle, end };
  enum class Style { plain, title, faint, code };
  double x = 0, y = 0;
  std::string text;
  Style style = Style::plain;
  Anchor anchor = Anchor::start;
};

struct Picture {
  std::string title;             // for those who do not see it
  double width = 0, height = 0;  // columns, rows
  std::vector<Box> boxes = {};
  std::vector<Line> lines = {};
  std::vector<Text> texts = {};

  /// Puts another one in, with its corner at (x, y); grows.
  void add(const Picture& other, double x, double y);
  void add(Box box) { boxes.push_back(std::move(box)); }
  void add(Line line) { lines.push_back(line); }
  void add(Text text) { texts.push_back(std::move(text)); }
};

/// Side by side as far as `columns` reach, then below.
Picture in_rows(const std::vector<Picture>& pictures, double columns);
Picture stacked(const std::vector<Picture>& pictures);

/// A whole SVG file; colours follow the reader's light or dark scheme, and are light in print.
std::string to_svg(const Picture& picture);
/// Lines of UTF-8 with box-drawing characters.
std::string to_text(const Picture& picture);

}  // namespace mtfc::draw
