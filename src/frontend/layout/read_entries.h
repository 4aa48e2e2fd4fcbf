// Parse trees of entries -> Layout, with the checks that need no model.
#pragma once
#include <string>
#include <unordered_map>

#include "frontend/layout/entry_parser.h"
#include "ir/layout.h"
#include "messages/diagnostic.h"

namespace mtfc::layout {

/// After so many, further mistakes of one text help nobody.
inline constexpr std::size_t most_mistakes = 20;

class EntryReader {
 public:
  EntryReader(FileId file, Diagnostics& diagnostics, Layout& layout)
      : file_(file),
        diagnostics_(diagnostics),
        layout_(layout),
        limit_(diagnostics.errors() + diagnostics.warnings() + most_mistakes) {}

  void read(LayoutParser::EntryContext* entry);
  void read(LayoutParser::MeshTextContext* text);
  /// The checks that need all entries.
  void finish();

  /// Drops what comes after the first twenty mistakes of a text.
  void report(Diagnostic diagnostic);
  bool is_full() const { return diagnostics_.errors() + diagnostics_.warnings() >= limit_; }

 private:
  using Axes = std::vector<LayoutParser::AxisContext*>;
  using Separators = std::vector<LayoutParser::SepContext*>;

  void mesh(const Axes& axes, Span span);
  void axis(LayoutParser::AxisContext* context);
  void check_processors();
  LayoutRule rule(LayoutParser::SplitsContext* context);
  void scope(LayoutParser::ScopeContext* context);
  /// Without its quotes.
  std::string path(antlr4::tree::TerminalNode* quoted);
  /// No axis twice.
  void check_axes(const LayoutRule& rule);
  void setting(LayoutParser::SettingContext* context);
  void pipeline(LayoutParser::PipelineContext* context);
  void hardware(LayoutParser::HardwareContext* context);
  HardwareLine hardware_line(LayoutParser::HardwareLineContext* context);
  void field(HardwareLine& line, LayoutParser::FieldContext* context);
  void refuse_dots(const Separators& separators);
  void error(DiagKind kind, std::string message, Span span, std::string label = "",
             std::string help = "");
  Span span_of(antlr4::ParserRuleContext* context) const;

  FileId file_;
  Diagnostics& diagnostics_;
  Layout& layout_;
  std::size_t limit_;
  Span nothing_;  // the first `[]`
  std::unordered_map<std::string, Span> axis_spans_;
  std::unordered_map<std::string, Span> hardware_spans_;
  std::unordered_map<std::string, std::size_t> settings_;  // index into the layout's
};

}  // namespace mtfc::layout
