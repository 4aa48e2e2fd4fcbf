#include "support/wrap.h"

#include "support/display.h"

namespace mtfc {

std::vector<std::string> pieces_of(std::string_view text) {
  std::vector<std::string> found{""};
  bool code = false;
  for (const char c : text) {
    code ^= c == '`';
    if (c == '\n') {
      found.insert(found.end(), {"\n", ""});
      code = false;
    } else if (c == ' ' && !code) {
      found.push_back("");
    } else {
      found.back() += c;
    }
  }
  std::erase(found, "");
  return found;
}

std::string wrapped(std::string_view text, const WrapStyle& style) {
  std::string lines;
  std::size_t column = style.column;
  bool fresh = true;  // nothing stands on the line yet
  for (const std::string& piece : pieces_of(text)) {
    const std::size_t columns = display_width(piece);
    const bool breaks = piece == "\n";
    if (breaks ||
        (column + (fresh ? 0 : 1) + columns > style.width && (!fresh || column > style.indent))) {
      lines += "\n" + std::string(style.indent, ' ');
      column = style.indent;
      fresh = true;
    }
    if (breaks) continue;
    lines += (fresh ? "" : " ") + piece;
    column += (fresh ? 0 : 1) + columns;
    fresh = false;
  }
  return lines;
}

}  // namespace mtfc
