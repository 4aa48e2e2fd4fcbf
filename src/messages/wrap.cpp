#include "messages/wrap.h"

#include <algorithm>

#include "messages/display.h"

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

std::string in_one_piece(const std::string& path) {
  return path.find(' ') == std::string::npos ? path : "`" + path + "`";
}

std::string wrapped_page(std::string_view page, std::size_t width) {
  std::string text, paragraph;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) text += wrapped(paragraph, {0, 0, width}) + "\n";
    paragraph.clear();
  };
  for (std::size_t at = 0; at < page.size();) {
    const std::size_t end = std::min(page.find('\n', at), page.size());
    const std::string line(page.substr(at, end - at));
    at = end + 1;
    const bool prose = !line.empty() && line[0] != ' ' && line[0] != '#';
    if (!prose) end_paragraph();
    if (prose)
      paragraph += line + " ";
    else
      text += line + "\n";
  }
  end_paragraph();
  return text;
}

}  // namespace mtfc
