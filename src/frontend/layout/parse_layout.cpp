#include "frontend/layout/parse_layout.h"

#include "frontend/layout/entry_parser.h"
#include "frontend/layout/mistakes.h"
#include "frontend/layout/read_entries.h"
#include "frontend/syntax/text_check.h"

namespace mtfc {
namespace {

// No layout written by people comes near; the limit keeps time and memory of a wrong file small.
constexpr std::size_t largest_text = std::size_t{1} << 20;

bool is_readable(const SourceMap& sources, FileId file, Diagnostics& diagnostics) {
  const std::string& text = sources.text(file);
  if (text.size() > largest_text) {
    diagnostics.report(diag(DiagKind::file_too_large, "a layout is at most 1 MB, this one has " +
                                                          std::to_string(text.size()) + " bytes")
                           .at({file, 0, 0}));
    return false;
  }
  return syntax::check_text(sources, file, diagnostics);
}

/// Mesh-TensorFlow also separates by `.`; its strings paste after one repair.
void skip_separators(layout::EntryParser& parser, FileId file, layout::EntryReader& reader) {
  for (; !parser.at_end() && !reader.is_full(); parser.move_to(parser.position() + 1)) {
    const antlr4::Token& token = parser.token(parser.position());
    if (!layout::is_separator(token)) return;
    if (token.getType() == layout::LayoutParser::DOT)
      reader.report(layout::dot_separator(layout::span_of(token, file)));
  }
}

void parse_entries(layout::EntryParser& parser, FileId file, layout::EntryReader& reader) {
  while (true) {
    skip_separators(parser, file, reader);
    if (parser.at_end() || reader.is_full()) return;
    if (auto* entry = parser.entry()) {
      reader.read(entry);
    } else {
      reader.report(explain(parser, file));
      skip_entry(parser);
    }
  }
}

}  // namespace

std::optional<Layout> parse_layout(const SourceMap& sources, FileId file,
                                   Diagnostics& diagnostics) {
  if (!is_readable(sources, file, diagnostics)) return std::nullopt;
  const std::size_t errors_before = diagnostics.errors();
  Layout layout;
  layout::EntryParser parser(sources.text(file));
  layout::EntryReader reader(file, diagnostics, layout);
  parse_entries(parser, file, reader);
  reader.finish();
  if (diagnostics.errors() > errors_before) return std::nullopt;
  return layout;
}

std::optional<Mesh> parse_mesh(const SourceMap& sources, FileId file, Diagnostics& diagnostics) {
  if (!is_readable(sources, file, diagnostics)) return std::nullopt;
  const std::size_t errors_before = diagnostics.errors();
  layout::EntryParser parser(sources.text(file));
  Layout layout;
  if (auto* text = parser.mesh_text()) {
    layout::EntryReader(file, diagnostics, layout).read(text);
  } else {
    diagnostics.report(explain_mesh(parser, file));
  }
  if (diagnostics.errors() > errors_before) return std::nullopt;
  return layout.mesh ? *layout.mesh : Mesh{};
}

}  // namespace mtfc
