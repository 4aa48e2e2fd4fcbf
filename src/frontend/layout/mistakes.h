// Syntax errors of layouts in the words of someone who writes layouts.
#pragma once
#include "frontend/layout/entry_parser.h"
#include "messages/diagnostic.h"

namespace mtfc::layout {

/// What to say about the place where the parser stopped.
Diagnostic explain(const EntryParser& parser, FileId file);
/// The same for the text of --mesh.
Diagnostic explain_mesh(const EntryParser& parser, FileId file);

/// Mesh-TensorFlow also separates by `.`; here it proposes `;`.
Diagnostic dot_separator(Span dot);

/// Goes to where the next entry may begin: behind a separator, at the first token of a line, or
/// behind the braces that the wrong entry has opened.
void skip_entry(EntryParser& parser);

bool is_separator(const antlr4::Token& token);
Span span_of(const antlr4::Token& token, FileId file);

}  // namespace mtfc::layout
