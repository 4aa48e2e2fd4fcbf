// Diagnostics -> text for people, JSON for programs.
#pragma once
#include <string>
#include <vector>

#include "messages/diagnostic.h"
#include "support/json.h"

namespace mtfc {

struct RenderOptions {
  bool color = false;
  int width = 80;  // source lines are cut around the guilty range, notes are wrapped
};

/// The form of docs/diagnostics: header, place, source lines with carets, notes, helps.
std::string render_text(const Diagnostic& diagnostic, const SourceMap& sources,
                        const RenderOptions& options);
/// One JSON object without line breaks: code, severity, message, spans, notes, helps, fixes.
/// A span is {file, line, column, end_line, end_column, primary, label}, 1-based, in code points.
std::string render_json(const Diagnostic& diagnostic, const SourceMap& sources);
/// Where a span is: {file, line, column, end_line, end_column}, as there; no fields of nowhere.
JsonFields json_span(Span span, const SourceMap& sources);

/// A workflow command of GitHub, in one line: `::error file=...,line=...::message`.
std::string render_github(const Diagnostic& diagnostic, const SourceMap& sources);
/// One result of a SARIF 2.1.0 log, and the log of all results, in one line.
std::string sarif_result(const Diagnostic& diagnostic, const SourceMap& sources);
std::string sarif_log(const std::vector<std::string>& results, const std::string& version);

}  // namespace mtfc
