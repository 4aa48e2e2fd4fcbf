#include <algorithm>

#include "messages/display.h"
#include "messages/excerpt.h"
#include "messages/render.h"
#include "messages/wrap.h"

namespace mtfc {
namespace {

/// ANSI colours, or nothing at all.
class Paint {
 public:
  Paint(bool on, Severity severity) : on_(on), severity_(severity) {}
  std::string head(std::string_view text) const { return wrap(severity_code(), text); }
  std::string bold(std::string_view text) const { return wrap("\x1b[1m", text); }
  std::string frame(std::string_view text) const { return wrap("\x1b[1;34m", text); }

 private:
  std::string_view severity_code() const {
    if (severity_ == Severity::error) return "\x1b[1;31m";
    return severity_ == Severity::warning ? "\x1b[1;33m" : "\x1b[1;36m";
  }
  std::string wrap(std::string_view code, std::string_view text) const {
    if (!on_) return std::string(text);
    return std::string(code) + std::string(text) + "\x1b[0m";
  }
  bool on_;
  Severity severity_;
};

struct LocatedLabel {
  const Label* label;
  int line;         // 1-based
  ByteRange bytes;  // of that line; a longer span ends with the line
};

struct FileGroup {
  FileId file;
  std::vector<LocatedLabel> labels;  // by line, then by column
};

LocatedLabel location(const Label& label, const SourceMap& sources) {
  const Span span = label.span;
  const int line = sources.position(span.file, span.begin).line;
  const std::string_view text = sources.line(span.file, line);
  const auto start = static_cast<std::size_t>(text.data() - sources.text(span.file).data());
  const std::size_t begin = std::min(span.begin - start, text.size());
  const std::size_t end = std::clamp<std::size_t>(span.end - start, begin, text.size());
  return {&label, line, {begin, end}};
}

/// The file of the primary label first, the others in the order of their labels.
std::vector<FileGroup> group_by_file(const Diagnostic& diagnostic, const SourceMap& sources) {
  std::vector<const Label*> labels;
  for (const Label& label : diagnostic.labels)
    if (label.span.valid()) labels.push_back(&label);
  std::stable_sort(labels.begin(), labels.end(),
                   [](const Label* a, const Label* b) { return a->primary > b->primary; });
  std::vector<FileGroup> groups;
  for (const Label* label : labels) {
    const auto same_file = [&](const FileGroup& g) { return g.file == label->span.file; };
    auto found = std::find_if(groups.begin(), groups.end(), same_file);
    if (found == groups.end()) found = groups.insert(groups.end(), {label->span.file, {}});
    found->labels.push_back(location(*label, sources));
  }
  return groups;
}

void sort_by_location(std::vector<LocatedLabel>& labels) {
  std::stable_sort(labels.begin(), labels.end(), [](const LocatedLabel& a, const LocatedLabel& b) {
    return std::pair(a.line, a.bytes.begin) < std::pair(b.line, b.bytes.begin);
  });
}

std::size_t gutter_width(const std::vector<FileGroup>& groups) {
  int last = 1;
  for (const FileGroup& group : groups)
    for (const LocatedLabel& label : group.labels) last = std::max(last, label.line);
  return std::to_string(last).size();
}

class TextRenderer {
 public:
  TextRenderer(const Diagnostic& diagnostic, const SourceMap& sources, const RenderOptions& options)
      : diagnostic_(diagnostic),
        sources_(sources),
        width_(static_cast<std::size_t>(std::max(options.width, 20))),
        paint_(options.color, diagnostic.severity()),
        groups_(group_by_file(diagnostic, sources)),
        gutter_(gutter_width(groups_)) {}

  std::string render() {
    header();
    for (FileGroup& group : groups_) file(group);
    for (const std::string& note : diagnostic_.notes) remark("note", note);
    for (const std::string& help : diagnostic_.helps) remark("help", help);
    return std::move(out_);
  }

 private:
  void header() {
    const std::string_view code = info(diagnostic_.kind).code;
    const std::string head =
        std::string(name(diagnostic_.severity())) + "[" + std::string(code) + "]";
    out_ += paint_.head(head);
    const WrapStyle style{head.size() + 2, 4, width_};
    out_ += paint_.bold(": " + wrapped(printable(diagnostic_.message), style)) + "\n";
  }

  /// The place of the first label (the primary one, in its file), then all lines.
  void file(FileGroup& group) {
    const Span span = group.labels.front().label->span;
    const Position at = sources_.position(group.file, span.begin);
    const bool first = &group == &groups_.front();
    out_ += std::string(gutter_, ' ') + paint_.frame(first ? "--> " : "::: ");
    out_ += printable(sources_.path(group.file)) + ":" + std::to_string(at.line) + ":" +
            std::to_string(at.column) + "\n";
    sort_by_location(group.labels);
    lines(group);
  }

  void lines(const FileGroup& group) {
    const std::size_t room = width_ > gutter_ + 13 ? width_ - gutter_ - 3 : 10;
    int last_line = 0;
    Excerpt cut;
    for (const LocatedLabel& label : group.labels) {
      const std::string_view line = sources_.line(group.file, label.line);
      const bool visible = label.line == last_line && label.bytes.begin >= cut.shown.begin &&
                           label.bytes.begin <= cut.shown.end;
      if (!visible) {
        if (last_line != 0 && label.line > last_line + 1) out_ += paint_.frame("...") + "\n";
        cut = excerpt(line, label.bytes, room);
        row(std::to_string(label.line), cut.text);
      }
      marks(*label.label, cut.columns(line, label.bytes));
      last_line = label.line;
    }
  }

  void row(const std::string& number, std::string_view text) {
    const std::string padded = std::string(gutter_ - number.size(), ' ') + number;
    out_ += paint_.frame(padded + " |");
    if (!text.empty()) out_ += " " + std::string(text);
    out_ += "\n";
  }

  void marks(const Label& label, ByteRange columns) {
    const std::string under(columns.end - columns.begin, label.primary ? '^' : '-');
    const auto painted = [&](const std::string& text) {
      return label.primary ? paint_.head(text) : paint_.frame(text);
    };
    const std::string blank(columns.begin, ' '), text = printable(label.text);
    const std::size_t begin = gutter_ + 3;  // of what a row has
    if (text.empty() || begin + columns.end + 1 + display_width(text) <= width_)
      return row("", blank + painted(under + (text.empty() ? "" : " " + text)));
    row("", blank + painted(under));
    below(text, begin + columns.begin, painted);
  }

  /// A label that does not fit beside its mark: in lines of its own.
  template <class Painted>
  void below(const std::string& text, std::size_t column, const Painted& painted) {
    const std::size_t begin = gutter_ + 3;
    const std::size_t width = display_width(text);
    if (column + width > width_) column = width_ > begin + width ? width_ - width : begin;
    const std::string lines = wrapped(text, {column, column, width_});
    const std::string blank(column - begin, ' ');
    for (std::size_t at = 0; at < lines.size();) {
      const std::size_t end = std::min(lines.find('\n', at), lines.size());
      const std::string line = lines.substr(at, end - at);
      row("", blank + painted(at == 0 ? line : line.substr(std::min(column, line.size()))));
      at = end + 1;
    }
  }

  /// `= note: text`, wrapped so that it stays in its column.
  void remark(std::string_view word, std::string_view text) {
    const std::string lead = std::string(gutter_ + 1, ' ') + "= ";
    const std::string indent(lead.size() + word.size() + 2, ' ');
    out_ += paint_.frame(lead) + paint_.bold(std::string(word) + ":");
    out_ += " " + wrapped(printable(text), {indent.size(), indent.size(), width_}) + "\n";
  }

  const Diagnostic& diagnostic_;
  const SourceMap& sources_;
  std::size_t width_;
  Paint paint_;
  std::vector<FileGroup> groups_;
  std::size_t gutter_;
  std::string out_;
};

}  // namespace

std::string render_text(const Diagnostic& diagnostic, const SourceMap& sources,
                        const RenderOptions& options) {
  return TextRenderer(diagnostic, sources, options).render();
}

}  // namespace mtfc
