#include "frontend/layout/mistakes.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "messages/propose.h"

namespace mtfc::layout {
namespace {

bool is_end(const antlr4::Token& token) { return token.getType() == antlr4::Token::EOF; }

/// "`=`", or "the end of the text".
std::string quoted(const antlr4::Token& token) {
  if (is_end(token)) return "the end of the text";
  std::string text = token.getText();
  if (static_cast<unsigned char>(text[0]) >= 0x80) return "a character that is not ASCII";
  if (static_cast<unsigned char>(text[0]) < 0x20) return "a control character";
  if (text.size() > 40) text = text.substr(0, 37) + "...";
  return "`" + text + "`";
}

/// The innermost brace that the entry opens and does not close before `end`.
std::optional<std::size_t> open_brace(const EntryParser& parser, std::size_t begin,
                                      std::size_t end) {
  std::vector<std::size_t> open;
  for (std::size_t i = begin; i < end; ++i) {
    if (parser.type(i) == LayoutParser::OPEN) open.push_back(i);
    if (parser.type(i) == LayoutParser::CLOSE && !open.empty()) open.pop_back();
  }
  if (open.empty()) return std::nullopt;
  return open.back();
}

bool is_scope(std::size_t type) {
  return type == LayoutParser::PARAM || type == LayoutParser::VALUE || type == LayoutParser::IN;
}

class Explainer {
 public:
  Explainer(const EntryParser& parser, FileId file)
      : parser_(parser),
        file_(file),
        entry_(parser.stop().entry),
        at_(parser.stop().offending),
        found_(quoted(parser.token(at_))) {}

  Diagnostic entry() const {
    if (const auto brace = open_brace(parser_, entry_, at_)) return in_braces(*brace);
    if (at_ == entry_) return at_start();
    switch (parser_.type(entry_)) {
      case LayoutParser::MESH:
        if (text(at_ - 1) != ":" && text(at_ - 1) != "?") return mesh_axis();
        break;
      case LayoutParser::SET:
        return plain("expected `set NAME=WORD`, found " + found_);
      case LayoutParser::HARDWARE:
        return plain("expected `hardware NAME { ... }`, found " + found_);
      case LayoutParser::PIPELINE:
        return plain("expected `pipeline \"glob\" { stages = 2 }`, found " + found_)
            .help(
                "the paths of block instances are written in double quotes: "
                "`pipeline \"layers.*\" { stages = 2 }`");
      case LayoutParser::PARAM:
      case LayoutParser::VALUE:
      case LayoutParser::IN:
        if (const std::size_t path = at_ - (text(at_ - 1) == "?" ? 2 : 1);
            parser_.type(path) == LayoutParser::STRING)
          return plain("expected `{` and rules after " + text(path) + ", found " + found_)
              .help("a scope has paths, and rules in braces: `" + text(entry_) + " " + text(path) +
                    " { length:rows }`");
        if (text(at_) == "\"") return plain("the quote of this path is never closed");
        return plain("expected `" + text(entry_) + " \"glob\" { ... }`, found " + found_)
            .help("paths are written in double quotes: `" + text(entry_) + " \"" + glob(at_) +
                  "\" { ... }`");
      default:
        break;
    }
    if (text(entry_) == "[")
      return plain("expected `[]`, found " + found_)
          .help("`[]` is the empty layout; brackets have no other use");
    return rule();
  }

  Diagnostic mesh_axis() const {
    Diagnostic d = plain("expected an axis and its size, found " + found_);
    d.helps.push_back("a mesh is written `rows=2, cols=4`; sizes are whole numbers from 1");
    if (at_ > 1 && text(at_ - 1) == "=" && parser_.type(at_) == LayoutParser::NAME)
      d.helps.push_back("a rule is written `" + text(at_ - 2) + ":" + text(at_) + "`");
    return d;
  }

 private:
  std::string text(std::size_t i) const { return parser_.token(i).getText(); }
  /// What stands here as the glob that it was meant for.
  std::string glob(std::size_t i) const {
    std::string all;
    const std::size_t first = i;
    const auto adjoins = [&] {
      return parser_.token(i - 1).getStopIndex() + 1 == parser_.token(i).getStartIndex();
    };
    for (; !is_end(parser_.token(i)) && text(i) != "{" && (i == first || adjoins()); ++i)
      all += text(i);
    const bool has_quote = all.find('"') != all.npos || all.find('\'') != all.npos;
    return all.empty() || has_quote ? "glob" : all;
  }
  Span span(std::size_t i) const { return span_of(parser_.token(i), file_); }

  Diagnostic plain(std::string message) const {
    return diag(DiagKind::syntax_error, std::move(message)).at(span(at_));
  }

  Diagnostic at_start() const {
    Diagnostic d = plain("expected a rule such as `batch:rows`, found " + found_);
    // `batch:` alone on its line has taken the name on the next line for its axis.
    const bool swallowed = at_ >= 3 && text(at_) == ":" && text(at_ - 2) == ":" &&
                           parser_.line(at_ - 1) != parser_.line(at_ - 2);
    if (swallowed)
      d.labels.push_back({join(span(at_ - 3), span(at_ - 2)), "is an axis missing here?", false});
    const std::string first = text(at_);
    if (first == "/") d.helps.push_back("a comment begins with `#`");
    if (first == "{" || first == "}" ||
        (first == "-" && parser_.type(at_ + 1) == LayoutParser::NAME) || first == "]")
      d.helps.push_back(
          "a layout is neither JSON nor YAML; it has lines such as `mesh rows=2` and "
          "`batch:rows`");
    return d;
  }

  /// What is wrong stands where a schedule's name would.
  bool after_schedule() const {
    for (std::size_t back = 1; back <= 3 && back <= at_; ++back)
      if (text(at_ - back) == "schedule") return true;
    return false;
  }

  Diagnostic in_braces(std::size_t brace) const {
    if (is_end(parser_.token(at_)))
      return diag(DiagKind::unclosed, "`{` is never closed").at(span(brace), "opened here");
    if (is_scope(parser_.type(entry_)) && (text(at_ - 1) == "set" || text(at_) == "set"))
      return plain("a setting in a scope")
          .help("settings hold for the whole layout: write `set` outside of the braces");
    if (is_scope(parser_.type(entry_)) && is_scope(parser_.type(at_ - 1)))
      return plain("a scope in a scope")
          .help("scopes stand beside each other; the narrower one holds");
    if (is_scope(parser_.type(entry_)))
      return plain("expected a rule such as `batch:rows` or `}`, found " + found_)
          .help(text(at_) == "=" && parser_.type(at_ + 1) == LayoutParser::NAME
                    ? "a rule is written `" + text(at_ - 1) + ":" + text(at_ + 1) + "`"
                    : "rules are written `dimension:axis`, `dimension:[]` takes one back");
    if (parser_.type(entry_) == LayoutParser::PIPELINE)
      return plain("expected `stages = 2` or `schedule = gpipe` or `}`, found " + found_)
          .help(after_schedule() ? "a schedule is `gpipe`, `1f1b` or `interleaved`"
                                 : "`stages` is a number, or the blocks of each: `stages = 3+4+5`");
    return plain("expected `chip` or `link` with `key=value` fields, or `}`, found " + found_)
        .help(
            "for example `link rows ring bw=25GB/s lat=5us`; a unit follows its number without a "
            "space");
  }

  Diagnostic rule() const {
    const std::string before = text(at_ - 1);
    if (before == ":" || before == "+") {
      Diagnostic d =
          plain("expected the name of a mesh axis after `" + before + "`, found " + found_);
      if (const std::string found = text(at_);
          found == "(" || found == "[" || found.find('*') != found.npos)
        d.help(over_two_axes(text(entry_)));
      return d;
    }
    if (text(at_) == "=" && behind_setting())
      return plain("expected a rule such as `batch:rows`, found `" + before + " =`")
          .help("each setting has its own `set`: `set " + before + "=" + text(at_ + 1) + "`");
    if (text(at_) == "=")
      return plain("expected `:` and a mesh axis after `" + before + "`, found `=`")
          .help("write a rule as `" + before + ":axis`; sizes of mesh axes are given in `mesh " +
                before + "=2`");
    // Where the line ends, the mistake is the unfinished rule, not what follows.
    const bool elsewhere = is_end(parser_.token(at_)) || is_separator(parser_.token(at_)) ||
                           parser_.line(at_) != parser_.line(at_ - 1);
    if (elsewhere) {
      Diagnostic d =
          diag(DiagKind::syntax_error, "expected `:` and a mesh axis after `" + before + "`")
              .at(span(at_ - 1), "this rule names no mesh axis");
      if (const std::string dim = ruled_on_the_line(); !dim.empty())
        d.help("a dimension is split over two axes by `" + dim + "+" + before + "`");
      if (at_ > 4 && text(at_ - 2) == "," && text(at_ - 4) == ":")
        d.help("a dimension is split over two axes by `" + text(at_ - 5) + ":" + text(at_ - 3) +
               "+" + before + "`");
      return d;
    }
    if (before == "[" && at_ > 2 && text(at_ - 2) == ":")
      return plain("expected `]` after `[`, found " + found_).help(over_two_axes(text(at_ - 3)));
    Diagnostic d = plain("expected `:` and a mesh axis after `" + before + "`, found " + found_);
    if (proposes_keyword(d)) return d;
    if (const std::string dim = ruled_on_the_line(); !dim.empty() && text(at_ + 1) == ":")
      d.help("a dimension is split over two axes by `" + dim + "+" + before + "`");
    else if (text(at_) == "-")
      d.help("a rule is written `" + before + ":axis`");
    else if (parser_.type(at_) == LayoutParser::NAME && parser_.type(at_ + 1) == LayoutParser::NAME)
      d.help("a rule is written `" + text(at_) + ":axis`");
    else if (parser_.type(at_) == LayoutParser::NAME)
      d.help("a rule is written `" + before + ":" + text(at_) + "`");
    return d;
  }

  static std::string over_two_axes(const std::string& dim) {
    return "a dimension is split over two axes by `" + dim + ":a+b`";
  }
  /// "batch:r" where `batch:r q` stands on one line; else empty.
  std::string ruled_on_the_line() const {
    if (at_ < 4 || text(at_ - 3) != ":" || parser_.line(at_ - 4) != parser_.line(at_ - 1))
      return "";
    return text(at_ - 4) + ":" + text(at_ - 2);
  }
  /// Whether `set a=b` stands before, and a comma or a blank behind it.
  bool behind_setting() const {
    const std::size_t end = at_ > 1 && text(at_ - 2) == "," ? at_ - 2 : at_ - 1;
    return end >= 4 && text(end - 4) == "set" && text(end - 2) == "=";
  }

  /// Words that begin no rule, by what follows them: a misspelled keyword, or one of another
  /// language. Says so.
  bool proposes_keyword(Diagnostic& d) const {
    if (at_ != entry_ + 1) return false;
    const std::string word = text(entry_);
    const bool takes_glob = parser_.type(at_) == LayoutParser::STRING;
    const bool takes_word = parser_.type(at_) == LayoutParser::NAME &&
                            (text(at_ + 1) == "=" || parser_.type(at_ + 1) == LayoutParser::OPEN);
    if (!takes_glob && !takes_word) return false;
    const std::vector<std::string> keywords =
        takes_glob ? std::vector<std::string>{"in", "param", "value", "pipeline"}
                   : std::vector<std::string>{"mesh", "set", "hardware"};
    if (propose(d, span(entry_), word, keywords)) return true;
    if (takes_glob)
      d.help("rules for some blocks are written `in " + text(at_) +
             " { batch:[] }`; `param` and `value` take a glob as well");
    return takes_glob;
  }

  const EntryParser& parser_;
  FileId file_;
  std::size_t entry_, at_;
  std::string found_;
};

}  // namespace

bool is_separator(const antlr4::Token& token) {
  const std::string text = token.getText();
  return text == ";" || text == "," || text == ".";
}

Span span_of(const antlr4::Token& token, FileId file) {
  const auto begin = static_cast<std::uint32_t>(token.getStartIndex());
  if (is_end(token)) return {file, begin, begin};
  return {file, begin, static_cast<std::uint32_t>(token.getStopIndex() + 1)};
}

Diagnostic explain(const EntryParser& parser, FileId file) {
  return Explainer(parser, file).entry();
}

Diagnostic explain_mesh(const EntryParser& parser, FileId file) {
  return Explainer(parser, file).mesh_axis();
}

Diagnostic dot_separator(Span dot) {
  return diag(DiagKind::syntax_error, "`.` does not separate rules")
      .at(dot)
      .help("write `;`")
      .fix(dot, ";");
}

namespace {

/// A scope whose path is not quoted has its rules behind it all the same: the token after the next
/// `{` of the line, or `i` if there is none.
std::size_t behind_brace(const EntryParser& parser, std::size_t i) {
  for (std::size_t k = i; !is_end(parser.token(k)) && parser.line(k) == parser.line(i); ++k)
    if (parser.type(k) == LayoutParser::OPEN) return k + 1;
  return i;
}

/// A list of axes in brackets is one mistake: the token behind it if `i` is the first in it and it
/// ends on that line, else `i`.
std::size_t behind_bracket(const EntryParser& parser, std::size_t i) {
  if (parser.token(i - 1).getText() != "[") return i;
  for (std::size_t k = i; !is_end(parser.token(k)) && parser.line(k) == parser.line(i); ++k)
    if (parser.token(k).getText() == "]") return k + 1;
  return i;
}

}  // namespace

void skip_entry(EntryParser& parser) {
  const Stop stop = parser.stop();
  std::size_t i = std::max(stop.offending, stop.entry + 1);
  if (is_scope(parser.type(stop.entry))) i = behind_brace(parser, i);
  i = behind_bracket(parser, i);
  if (open_brace(parser, stop.entry, i)) {
    for (int inner = 0; parser.type(i) != antlr4::Token::EOF; ++i) {
      if (parser.type(i) == LayoutParser::OPEN) ++inner;
      if (parser.type(i) == LayoutParser::CLOSE && inner-- == 0) break;
    }
    parser.move_to(std::min(i + 1, parser.last()));
    return;
  }
  const auto begins_line = [&] { return parser.line(i) != parser.line(i - 1); };
  while (parser.type(i) != antlr4::Token::EOF && !is_separator(parser.token(i)) && !begins_line())
    ++i;
  parser.move_to(i);
}

}  // namespace mtfc::layout
