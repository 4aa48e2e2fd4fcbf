#include "draw/picture.h"

#include <algorithm>

namespace mtfc::draw {

void Picture::add(const Picture& other, double x, double y) {
  for (Box box : other.boxes) {
    box.x += x;
    box.y += y;
    boxes.push_back(std::move(box));
  }
  for (Line line : other.lines) {
    line.x1 += x;
    line.x2 += x;
    line.y1 += y;
    line.y2 += y;
    lines.push_back(line);
  }
  for (Text text : other.texts) {
    text.x += x;
    text.y += y;
    texts.push_back(std::move(text));
  }
  width = std::max(width, x + other.width);
  height = std::max(height, y + other.height);
}

Picture in_rows(const std::vector<Picture>& pictures, double columns) {
  constexpr double gap = 4;
  Picture all;
  double x = 0, y = 0;
  for (const Picture& one : pictures) {
    if (x > 0 && x + one.width > columns) {
      x = 0;
      y = all.height + 1;
    }
    if (all.title.empty()) all.title = one.title;
    all.add(one, x, y);
    x += one.width + gap;
  }
  return all;
}

Picture stacked(const std::vector<Picture>& pictures) { return in_rows(pictures, 0); }

}  // namespace mtfc::draw
