#include "messages/diagnostic.h"

namespace mtfc {

MTFC_DEFINE_SPECIAL_MEMBERS(Diagnostic, noexcept);
MTFC_DEFINE_SPECIAL_MEMBERS(Diagnostics, noexcept);

const std::vector<DiagKindInfo>& diagnostic_kinds() {
  static const std::vector<DiagKindInfo> kinds = {
#define MTFC_DIAGNOSTIC(code, severity, name, summary) \
  {DiagKind::name, #code, Severity::severity, #name, summary},
#include "messages/diagnostic_kinds.def"
#undef MTFC_DIAGNOSTIC
  };
  return kinds;
}

const DiagKindInfo& info(DiagKind kind) {
  return diagnostic_kinds()[static_cast<std::size_t>(kind)];
}

// The forms for temporaries return a value: `d = std::move(d).note(...)` must not move d into
// itself.

Diagnostic& Diagnostic::at(Span span, std::string label) & {
  labels.push_back({span, std::move(label), true});
  return *this;
}

Diagnostic Diagnostic::at(Span span, std::string label) && {
  return std::move(at(span, std::move(label)));
}

Diagnostic& Diagnostic::also(Span span, std::string label) & {
  labels.push_back({span, std::move(label), false});
  return *this;
}

Diagnostic Diagnostic::also(Span span, std::string label) && {
  return std::move(also(span, std::move(label)));
}

Diagnostic& Diagnostic::note(std::string text) & {
  notes.push_back(std::move(text));
  return *this;
}

Diagnostic Diagnostic::note(std::string text) && { return std::move(note(std::move(text))); }

Diagnostic& Diagnostic::help(std::string text) & {
  helps.push_back(std::move(text));
  return *this;
}

Diagnostic Diagnostic::help(std::string text) && { return std::move(help(std::move(text))); }

Diagnostic& Diagnostic::fix(Span span, std::string replacement) & {
  fixes.push_back({span, std::move(replacement)});
  return *this;
}

Diagnostic Diagnostic::fix(Span span, std::string replacement) && {
  return std::move(fix(span, std::move(replacement)));
}

Diagnostic diag(DiagKind kind, std::string message) {
  Diagnostic made;
  made.kind = kind;
  made.message = std::move(message);
  return made;
}

std::string_view name(Severity severity) {
  static constexpr std::string_view names[] = {"note", "warning", "error"};
  return names[static_cast<std::size_t>(severity)];
}

const Label* primary(const Diagnostic& d) {
  for (const Label& label : d.labels)
    if (label.primary && label.span.valid()) return &label;
  return nullptr;
}

namespace {

Span primary_span(const Diagnostic& d) {
  const Label* label = primary(d);
  return label == nullptr ? Span() : label->span;
}

bool is_duplicate(const Diagnostic& a, const Diagnostic& b) {
  return a.kind == b.kind && a.message == b.message && primary_span(a) == primary_span(b);
}

}  // namespace

void Diagnostics::report(Diagnostic diagnostic) {
  for (const Diagnostic& earlier : all_)
    if (is_duplicate(earlier, diagnostic)) return;
  errors_ += diagnostic.severity() == Severity::error;
  warnings_ += diagnostic.severity() == Severity::warning;
  all_.push_back(std::move(diagnostic));
}

void Diagnostics::add_note_to_errors(const std::string& text) {
  for (Diagnostic& diagnostic : all_)
    if (diagnostic.severity() == Severity::error) diagnostic.notes.push_back(text);
}

}  // namespace mtfc
