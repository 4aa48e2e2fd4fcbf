// The house style: the author's lines, with spacing, indentation and comments in order.
#include <MtfLexer.h>

#include <algorithm>
#include <utility>

#include "frontend/syntax/format_marks.h"
#include "frontend/syntax/format_spacing.h"
#include "frontend/syntax/parse.h"
#include "frontend/syntax/tokens.h"
#include "frontend/syntax/words.h"
#include "messages/display.h"

namespace mtfc {
namespace syntax {
namespace {

using Lexer = grammar::MtfLexer;

constexpr std::size_t indent_width = 2;
constexpr std::size_t continuation_indent = 4;

struct Line {
  std::string code;
  std::string comment;  // behind the code, or alone
};

/// What stands between two tokens: line breaks and comments.
struct Gap {
  struct Comment {
    std::string_view text;
    std::size_t breaks_before;
  };
  std::vector<Comment> comments;
  std::size_t breaks_after = 0;  // after the last comment, or in all
};

Gap read_gap(std::string_view text) {
  Gap gap;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') ++gap.breaks_after;
    if (text[i] != '#') continue;
    const std::size_t end = std::min(text.find('\n', i), text.size());
    std::string_view comment = text.substr(i, end - i);
    while (comment.ends_with(' ') || comment.ends_with('\t') || comment.ends_with('\r'))
      comment.remove_suffix(1);
    gap.comments.push_back({comment, gap.breaks_after});
    gap.breaks_after = 0;
    i = end - 1;
  }
  return gap;
}

class Formatter {
 public:
  Formatter(std::string_view text, const Tokens& tokens, const FormatMarks& marks)
      : text_(text), tokens_(tokens), marks_(marks), spacing_(tokens, marks) {}

  std::string format() {
    std::uint32_t end = 0;
    for (std::size_t at = 0; at < tokens_.size(); ++at) {
      gap(read_gap(text_.substr(end, tokens_[at].begin - end)), at);
      if (tokens_[at].type != antlr4::Token::EOF) token(at);
      end = tokens_[at].end;
    }
    if (!blank(line_)) flush();
    return print();
  }

 private:
  struct Bracket {
    std::size_t type;
    std::size_t line_indent;  // of the line that opens it
    std::size_t column;       // behind it
    bool empty = true;        // nothing inside it yet
    bool hangs = false;       // what is inside begins on a line of its own
  };

  static bool blank(const Line& line) { return line.code.empty() && line.comment.empty(); }

  void flush() {
    lines_.push_back(std::move(line_));
    line_ = {};
  }

  /// Ends the line; several breaks in the text make one empty line.
  void breaks(std::size_t count) {
    if (count == 0) return;
    if (!blank(line_)) flush();
    if (count > 1 && !lines_.empty() && !blank(lines_.back())) flush();
  }

  void gap(const Gap& gap, std::size_t next) {
    for (const Gap::Comment& comment : gap.comments) {
      breaks(comment.breaks_before);
      if (line_.code.empty()) line_.code = std::string(comment_indent(next), ' ');
      line_.comment = std::string(comment.text);
      if (std::all_of(line_.code.begin(), line_.code.end(), [](char c) { return c == ' '; }))
        line_.comment.insert(0, std::exchange(line_.code, ""));
    }
    const bool brace = tokens_[next].type == Lexer::LBRACE;
    if (brace && gap.comments.empty()) return;  // stays with what it belongs to
    breaks(gap.comments.empty() ? gap.breaks_after : std::max<std::size_t>(gap.breaks_after, 1));
  }

  void token(std::size_t at) {
    const std::size_t type = tokens_[at].type;
    const bool begins_line = line_.code.empty();
    if (begins_line) {
      column_ = indent(at);
      line_.code = std::string(column_, ' ');
    } else {
      const std::size_t blanks = spacing_.before(at, innermost());
      line_.code.append(blanks, ' ');
      column_ += blanks;
    }
    if (!brackets_.empty() && std::exchange(brackets_.back().empty, false))
      brackets_.back().hangs = begins_line;
    if (closes(type) && !brackets_.empty()) brackets_.pop_back();
    line_.code += tokens_.text(at);
    column_ += display_width(tokens_.text(at));
    if (opens(type)) brackets_.push_back({type, line_.code.find_first_not_of(' '), column_});
  }

  std::size_t innermost() const { return brackets_.empty() ? 0 : brackets_.back().type; }

  std::size_t block_indent() const {
    return indent_width * static_cast<std::size_t>(std::count_if(
                              brackets_.begin(), brackets_.end(),
                              [](const Bracket& b) { return b.type == Lexer::LBRACE; }));
  }

  /// Of a line that begins with token `at`.
  std::size_t indent(std::size_t at) const {
    const std::size_t type = tokens_[at].type;
    if (innermost() == Lexer::LPAREN || innermost() == Lexer::LBRACKET) {
      const Bracket& open = brackets_.back();
      if (closes(type)) return open.line_indent;
      return open.empty || open.hangs ? open.line_indent + continuation_indent : open.column;
    }
    if (type == Lexer::RBRACE) return block_indent() - std::min(block_indent(), indent_width);
    const bool begins = marks_.items.contains(tokens_[at].begin) || type == Lexer::LBRACE ||
                        (type == Lexer::ELSE && at > 0 && tokens_[at - 1].type == Lexer::RBRACE);
    return block_indent() + (begins ? 0 : continuation_indent);
  }

  /// A comment stands like the statement after it; at the end of a body, like the body.
  std::size_t comment_indent(std::size_t next) const {
    const std::size_t type = tokens_[next].type;
    if (type == Lexer::RBRACE || type == antlr4::Token::EOF) return block_indent();
    return indent(next);
  }

  std::string print() {
    while (!lines_.empty() && blank(lines_.back())) lines_.pop_back();
    std::string out;
    for (std::size_t i = 0; i < lines_.size();) {
      std::size_t end = i;
      std::size_t column = 0;
      while (end < lines_.size() && trails(lines_[end]))
        column = std::max(column, display_width(lines_[end++].code));
      if (end == i) column = 0, ++end;
      for (; i < end; ++i) print(lines_[i], column, out);
    }
    return out;
  }

  static bool trails(const Line& line) { return !line.code.empty() && !line.comment.empty(); }

  static void print(const Line& line, std::size_t column, std::string& out) {
    out += line.code;
    if (trails(line)) out += std::string(column - display_width(line.code) + 2, ' ');
    out += line.comment;
    out += '\n';
  }

  std::string_view text_;
  const Tokens& tokens_;
  const FormatMarks& marks_;
  Spacing spacing_;
  std::vector<Bracket> brackets_;
  std::vector<Line> lines_;
  Line line_;
  std::size_t column_ = 0;  // behind the code of line_
};

}  // namespace
}  // namespace syntax

std::optional<std::string> format_model(const SourceMap& sources, FileId file,
                                        Diagnostics& diagnostics) {
  const std::optional<ast::File> parsed = parse_model(sources, file, diagnostics);
  if (!parsed) return std::nullopt;
  const std::string_view text = sources.text(file);
  const syntax::Tokens tokens(text, file);
  const syntax::FormatMarks marks = syntax::find_marks(*parsed, tokens);
  return syntax::Formatter(text, tokens, marks).format();
}

}  // namespace mtfc
